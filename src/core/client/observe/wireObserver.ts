// Loaded only where somebody observes, so of the first load it imports types alone: see observations.ts.
import type { WirePiece } from '../../wire/wireTap.js'
import type { WireObservation } from './events.js'
import type { OfFirstLoad } from './ofFirstLoad.js'
import { redactHeaders, redactUrl } from './redactHttp.js'
import { createTaskNames } from './taskNames.js'
import { readEvents } from './wireEvents.js'

export interface WireObserver {
  take(piece: WirePiece): void
  /** Remembers the id of a task, so that it is shown nowhere. */
  learn(taskId: string): void
  close(): void
}

interface Clock {
  now(): number
}

type Exchange = Extract<WirePiece, { answer: unknown }>
type Passed = Exclude<WirePiece, Exchange>

/** Requests over the transport of an SDK client that are remembered until their response comes. */
const MAX_OPEN = 500

/** Puts what goes over the wire into words, without credentials and without the ids of tasks. */
export function createWireObserver(
  { now }: Clock,
  { hash, withoutSecrets }: Pick<OfFirstLoad, 'hash' | 'withoutSecrets'>,
  tell: (observation: WireObservation) => void,
): WireObserver {
  const names = createTaskNames(hash)
  /** What was sent over the transport of an SDK client, by the id of its message. */
  const open = new Map<unknown, { exchange: number; at: number; method: string | undefined }>()
  const closing = new AbortController()
  let exchanges = 0

  const tellOpen = (observation: WireObservation) => {
    if (!closing.signal.aborted) tell(observation)
  }

  async function takeExchange({ at, url, init, answer }: Exchange): Promise<void> {
    const exchange = ++exchanges
    const verb = init?.method ?? 'GET'
    const text = typeof init?.body === 'string' ? init.body : ''
    const { isMessage, ...request } = names.describe(text)
    const method = request.method ?? verb
    const { id, task } = request
    const of = { exchange, method, ...(id !== undefined && { id }), ...(task && { task }) }
    const http = { method: verb, url: redactUrl(url, withoutSecrets), headers: redactHeaders(init?.headers, task) }
    tellOpen({ type: 'wire-sent', at, ...request, ...of, http })
    try {
      const { at: answeredAt, copy: response } = await answer
      const { status } = response
      const answered = { http: { status, headers: redactHeaders(response.headers, task) } }
      const tellAnswer = (more: { isStream?: boolean; task?: string; body?: string; size?: number }) =>
        tellOpen({ type: 'wire-answered', at: answeredAt, ms: answeredAt - at, ...of, ...answered, ...more })
      if (response.headers.get('content-type')?.includes('text/event-stream')) {
        tellAnswer({ isStream: true })
        await readEvents(response, closing.signal, (data) => {
          const { isMessage: isKnown, ...event } = names.describe(data)
          if (isKnown) tellOpen({ type: 'wire-event', at: now(), exchange, ...event })
        })
        return
      }
      // A request without JSON-RPC is a sign-in, and its response a token.
      if (!isMessage) tellAnswer({})
      else {
        const { task: created, body, size } = names.describeAny(await response.text())
        tellAnswer({ ...(created && { task: created }), ...(body && { body }), size })
      }
    } catch (error) {
      const message = names.redact(error instanceof Error ? error.message : String(error))
      tellOpen({ type: 'wire-failed', at: now(), ms: now() - at, ...of, message })
    }
  }

  function takePassed({ at, message, isSent }: Passed): void {
    const { isMessage: _, ...said } = names.describe(JSON.stringify(message))
    const request = isSent || 'method' in message ? undefined : open.get(said.id)
    if (request !== undefined) {
      open.delete(said.id)
      const { exchange, method } = request
      tellOpen({ type: 'wire-answered', at, ms: at - request.at, ...said, exchange, ...(method && { method }) })
      return
    }
    const exchange = ++exchanges
    if (isSent && 'method' in message && 'id' in message) {
      open.set(said.id, { exchange, at, method: said.method })
      for (const oldest of open.keys()) if (open.size > MAX_OPEN) open.delete(oldest)
    }
    tellOpen({ type: isSent ? 'wire-sent' : 'wire-event', at, exchange, ...said })
  }

  return {
    take: (piece) => ('answer' in piece ? void takeExchange(piece) : takePassed(piece)),
    learn: names.learn,
    close: () => closing.abort(),
  }
}
