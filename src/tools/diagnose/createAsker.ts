import type { Environment } from '../../core/environment/environment.js'
import type { Answer, Failure, HttpAnswer, StreamSeen } from './observed.js'
import { isResponse, parseMessage, readEvents, readText } from './readEvents.js'

/** What is taken from the page or from Node. */
export type AskerEnvironment = Pick<Environment, 'fetch' | 'now' | 'setTimeout' | 'clearTimeout'>

export interface AskerOptions {
  readonly url: URL
  /** Sent with every request but preflights. */
  readonly headers: Readonly<Record<string, string>>
  /** How long a response may take, in ms. */
  readonly timeLimitMs: number
  readonly environment: AskerEnvironment
}

/** Sends requests to one server, and never throws. */
export interface Asker {
  send(request: RequestInit): Promise<Answer>
  /** Opens an event stream and watches it for so long. */
  watch(request: RequestInit, watchMs: number): Promise<StreamSeen>
  sleep(ms: number): Promise<void>
  now(): number
}

class TimeLimit extends Error {}

export function createAsker({ url, headers, timeLimitMs, environment }: AskerOptions): Asker {
  async function within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | { readonly failure: Failure }> {
    const controller = new AbortController()
    const timer = environment.setTimeout(() => controller.abort(new TimeLimit()), timeLimitMs)
    try {
      return await work(controller.signal)
    } catch (error) {
      return { failure: failureOf(controller.signal.aborted ? controller.signal.reason : error, timeLimitMs) }
    } finally {
      environment.clearTimeout(timer)
    }
  }

  async function open(request: RequestInit, signal: AbortSignal): Promise<Response> {
    // `fetch` refuses it, too, and shows the password.
    if (url.username || url.password)
      throw new TypeError('the URL has a user name or a password in it, which no page can send')
    const isPreflight = request.method === 'OPTIONS'
    const all = { ...(request.headers as Record<string, string>), ...(isPreflight ? {} : headers) }
    return environment.fetch(url, { redirect: 'manual', ...request, headers: all, signal })
  }

  async function watch(request: RequestInit, watchMs: number): Promise<StreamSeen> {
    const controller = new AbortController()
    const { signal } = controller
    const opened = within(async (limit) => {
      limit.addEventListener('abort', () => controller.abort(limit.reason))
      const response = await open(request, signal)
      if (!isEventStream(response) || !response.ok || response.body === null) return readAnswer(response)
      const events = readEvents(response.body)
      // Whatever comes first: an acknowledgement, a response, a comment.
      return { events, first: await events.next() }
    })
    const stream = await opened
    if (!('events' in stream)) return { ...unopened(stream), lastedMs: 0, answer: stream }

    const { events, first } = stream
    const openedAt = environment.now()
    const lasted = () => environment.now() - openedAt
    let isWatched = true
    const timer = environment.setTimeout(() => {
      isWatched = false
      controller.abort()
    }, watchMs)
    try {
      for (let event = first; !event.done; event = await events.next()) {
        if (isResponse(event.value)) {
          const answer = answerOf(200, new Headers(), '', event.value)
          return { ...('error' in event.value ? unopened(answer) : { outcome: 'ended' }), lastedMs: lasted(), answer }
        }
      }
      return { outcome: 'cut', lastedMs: lasted(), answer: undefined }
    } catch {
      return { outcome: isWatched ? 'cut' : 'open', lastedMs: lasted(), answer: undefined }
    } finally {
      environment.clearTimeout(timer)
      // A server may leave the stream open after its response.
      controller.abort()
    }
  }

  return {
    send: (request) => within(async (signal) => readAnswer(await open(request, signal))),
    watch,
    sleep: (ms) => new Promise((resolve) => void environment.setTimeout(resolve, ms)),
    now: environment.now,
  }
}

const METHOD_NOT_FOUND = -32601

/** What it means that no stream opened. A server that does not push may say so by either status. */
function unopened(answer: Answer): Pick<StreamSeen, 'outcome'> {
  if ('failure' in answer) return { outcome: answer.failure.kind === 'timeout' ? 'silent' : 'cut' }
  const { code } = Object(answer.message?.['error']) as { code?: unknown }
  return { outcome: code === METHOD_NOT_FOUND ? 'unsupported' : 'refused' }
}

async function readAnswer(response: Response): Promise<HttpAnswer> {
  const { status, headers, body } = response
  if (isEventStream(response) && body !== null) {
    for await (const event of readEvents(body)) if (isResponse(event)) return answerOf(status, headers, '', event)
    return { ...answerOf(status, headers, '', undefined), isUnanswered: true }
  }
  const text = body === null ? '' : await readText(body)
  const message = parseMessage(text)
  return answerOf(status, headers, text, isResponse(message) ? message : undefined)
}

function answerOf(status: number, headers: Headers, text: string, message: HttpAnswer['message']): HttpAnswer {
  return { status, headers, text, message, isUnanswered: false }
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('text/event-stream') === true
}

const NAME_CODES = ['ENOTFOUND', 'EAI_AGAIN']
const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)/

/** Node says by a code what went wrong; a browser says nothing. */
function failureOf(error: unknown, timeLimitMs: number): Failure {
  if (error instanceof TimeLimit) {
    return { kind: 'timeout', message: `no response within ${timeLimitMs / 1000} s` }
  }
  const found = causes(error).find(({ code }) => typeof code === 'string') ?? causes(error).at(-1)
  const code = String(found?.code ?? '')
  const message = found?.message ?? String(error)
  if (NAME_CODES.includes(code)) return { kind: 'name', message }
  if (code === 'ECONNREFUSED') return { kind: 'refused', message: message || 'the connection was refused' }
  if (CERTIFICATE_CODE.test(code)) return { kind: 'certificate', message }
  if (/SSL|TLS|EPROTO/.test(code)) return { kind: 'tls', message }
  return { kind: 'network', message }
}

/** The error and what caused it. Where two addresses were tried, the errors of both. */
function causes(error: unknown): { code?: unknown; message: string }[] {
  if (!(error instanceof Error)) return []
  const inner = error instanceof AggregateError ? error.errors : [error.cause]
  return [error, ...inner.flatMap(causes)]
}
