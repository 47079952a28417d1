import type { FetchLike } from '@modelcontextprotocol/client'
import type { Clock } from '../../server/base/clock.js'

/**
 * Calls over HTTP whose answer may be lost on the way: of a stream that breaks off, the SDK client waits for the rest, without end
 * where the server cannot send it again.
 */
export interface WatchedCalls {
  /** What the transport of the SDK client sends with. */
  readonly fetch: FetchLike
  /** Watches a call until it has settled: `onLost` is called where no answer can come any more. */
  watch(onLost: () => void): WatchedCall
}

/** A call whose answer is on its way. */
export interface WatchedCall {
  /** To be sent with the call: they name it to `fetch`, and leave the process with nothing. */
  readonly headers: Record<string, string>
  /** To be called when it has settled. */
  stop(): void
}

const CALL_HEADER = 'taskwire-gateway-call'

/** The SDK client reads what came before the end of a stream. */
const READ_MS = 1000
/** Events with ids can be asked for again, which the SDK client does a few times. */
const RESUME_MS = 60_000

/** Watches the calls that are sent with its `fetch`. */
export function createWatchedCalls(clock: Clock): WatchedCalls {
  const watched = new Map<string, () => void>()

  /** The same response. Says when its stream has ended, in whatever way, and whether the rest of it can be asked for. */
  function observe(response: Response, onEnd: (isResumable: boolean) => void): Response {
    const reader = response.body?.getReader()
    if (reader === undefined) return response
    const decoder = new TextDecoder()
    let isResumable = false
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) {
            controller.close()
            return onEnd(isResumable)
          }
          isResumable ||= /^id:/m.test(decoder.decode(value, { stream: true }))
          controller.enqueue(value)
        } catch (error) {
          controller.error(error)
          onEnd(isResumable)
        }
      },
      cancel: (reason) => reader.cancel(reason),
    })
    return new Response(body, response)
  }

  return {
    async fetch(url, init) {
      const headers = new Headers(init?.headers)
      const id = headers.get(CALL_HEADER)
      if (id === null) return fetch(url, init)
      headers.delete(CALL_HEADER)
      const response = await fetch(url, { ...init, headers })
      if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response
      return observe(response, (isResumable) => {
        clock.setTimeout(() => watched.get(id)?.(), isResumable ? RESUME_MS : READ_MS)
      })
    },

    watch(onLost) {
      const id = crypto.randomUUID()
      watched.set(id, onLost)
      return { headers: { [CALL_HEADER]: id }, stop: () => watched.delete(id) }
    },
  }
}
