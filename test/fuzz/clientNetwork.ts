import type { RpcRequest } from '../chaos/chaosServer.js'
import type { ClientFault, FaultTarget } from './clientCase.js'
import { KNOWN_FAULTS } from './knownFaults.js'
import {
  eventStream,
  type MangledResponse,
  type MangleOptions,
  mangledMessages,
  mangledResponse,
} from './mangledResponse.js'
import type { WireResponse, WireServer, WireStream } from './wireServer.js'

type Json = Record<string, unknown>

/** A request of a page on its way. */
export interface Sent<Page> {
  readonly page: Page
  readonly method: string
  readonly request: RpcRequest & { readonly result?: unknown }
  readonly taskId: string | undefined
}

export interface ClientNetworkOptions<Page> {
  readonly server: WireServer
  readonly faults: readonly ClientFault[]
  readonly later: (callback: () => void, delayMs: number) => void
  readonly isOnline: (page: Page) => boolean
  readonly onSend: (sent: Sent<Page>) => void
  /** Called when a response arrives; `fault` says whether it is what the server said. */
  readonly onArrived: (sent: Sent<Page>, text: string, fault: ClientFault | undefined) => void
  readonly onFault: (fault: ClientFault, sent: Sent<Page>) => void
  /** True from then on where nothing is answered any more. */
  readonly isFlooded: () => boolean
}

export interface ClientNetwork<Page> {
  fetch(page: Page, init: RequestInit): Promise<Response>
  /** No faults any more, and what hangs breaks. */
  heal(): void
  /** How many exchanges of a page are not over. */
  pending(page: Page): number
}

const LATENCY_MS = 10

interface Exchange<Page> {
  readonly sent: Sent<Page>
  /** Nothing comes any more, until the network is well again. */
  isHanging: boolean
  isOver: boolean
  fail(error: unknown): void
  /** Stops listening to the signal of the request. */
  release(): void
}

export function createClientNetwork<Page>(options: ClientNetworkOptions<Page>): ClientNetwork<Page> {
  const { server, later } = options
  let faults = [...options.faults]
  const exchanges = new Set<Exchange<Page>>()

  function take(target: FaultTarget, sent: Sent<Page>): ClientFault | undefined {
    const index = faults.findIndex((fault) => fault.target === target || fault.target === 'any')
    const [fault] = index < 0 ? [] : faults.splice(index, 1)
    if (fault !== undefined) options.onFault(fault, sent)
    return fault
  }

  /** The body as it reaches the client: it ends with an error when the exchange does. */
  function connected(response: Response, exchange: Exchange<Page>): Response {
    const { body, status, headers } = response
    if (body === null) {
      over(exchange)
      return response
    }
    const reader = body.getReader()
    const readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          exchange.fail = (error) => {
            if (over(exchange)) controller.error(error)
            reader.cancel(error).catch(() => {})
          }
        },
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read()
            if (exchange.isOver) return
            if (!done) return controller.enqueue(value)
            over(exchange)
            controller.close()
          } catch (error) {
            if (over(exchange)) controller.error(error)
          }
        },
        cancel: (reason) => {
          over(exchange)
          return reader.cancel(reason)
        },
      },
      { highWaterMark: 0 },
    )
    return new Response(readable, { status, headers })
  }

  /** True where it was not over before. */
  function over(exchange: Exchange<Page>): boolean {
    const wasOpen = !exchange.isOver
    exchange.isOver = true
    exchange.release()
    exchanges.delete(exchange)
    return wasOpen
  }

  function answer(sent: Sent<Page>, exchange: Exchange<Page>): MangledResponse | Response {
    const answered: WireResponse = server.answer(sent.request)
    const target = sent.request.method === undefined ? 'response' : (sent.method as FaultTarget)
    if (answered.type === 'stream') return stream(answered.open, target, sent, exchange)
    const fault = take(target, sent)
    const mangled = answeredAtAll(sent, {
      message: answered.type === 'message' ? answered.message : undefined,
      headers: (answered.type === 'message' && answered.headers) || {},
      fault,
      taskId: sent.taskId,
      id: sent.request.id,
    })
    options.onArrived(sent, mangled.sent, fault)
    return mangled
  }

  /** A stream that stays open, each of whose messages can be mangled. */
  function stream(
    open: (stream: WireStream) => void,
    target: FaultTarget,
    sent: Sent<Page>,
    exchange: Exchange<Page>,
  ): MangledResponse | Response {
    const fault = take(target, sent)
    if (fault !== undefined) {
      const message = { jsonrpc: '2.0', id: sent.request.id, result: { resultType: 'complete' } }
      return mangledResponse({ message, headers: {}, fault, taskId: sent.taskId, id: sent.request.id })
    }
    let isFirst = true
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const push = (texts: readonly string[], edit?: ClientFault['edits'][number]) => {
          if (!exchange.isOver) controller.enqueue(new TextEncoder().encode(eventStream(texts, edit)))
        }
        open({
          isOver: () => exchange.isOver,
          end: () => {
            if (!exchange.isOver) controller.close()
          },
          send: (message: Json) => {
            const mangling = isFirst ? undefined : take('pushed', sent)
            isFirst = false
            if (mangling === undefined) return push([JSON.stringify(message)])
            if (mangling.kind === 'event stream framing') return push([JSON.stringify(message)], mangling.edits[0])
            const texts = mangledMessages(message, mangling, sent.taskId ?? idOf(message))
            if (texts === undefined) exchange.fail(new TypeError('network error'))
            else push(texts)
          },
        })
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  return {
    pending: (page) => [...exchanges].filter(({ sent }) => sent.page === page).length,

    heal: () => {
      faults = []
      for (const exchange of [...exchanges]) if (exchange.isHanging) exchange.fail(new TypeError('network error'))
    },

    fetch: (page, init) =>
      new Promise((resolve, reject) => {
        const { signal } = init
        // As `fetch` does: nothing is sent.
        if (signal?.aborted) return reject(signal.reason)
        if (init.method !== 'POST') return resolve(new Response(null, { status: 405 }))
        const request = JSON.parse(String(init.body)) as Sent<Page>['request']
        const taskId = request.params?.['taskId']
        const sent: Sent<Page> = {
          page,
          method: request.method ?? 'response',
          request,
          taskId: typeof taskId === 'string' ? taskId : undefined,
        }
        options.onSend(sent)
        const onAbort = () => exchange.fail(signal?.reason)
        const exchange: Exchange<Page> = {
          sent,
          release: () => signal?.removeEventListener('abort', onAbort),
          isHanging: false,
          isOver: false,
          fail: (error) => {
            if (over(exchange)) reject(error)
          },
        }
        exchanges.add(exchange)
        signal?.addEventListener('abort', onAbort)
        later(() => {
          if (exchange.isOver) return
          if (!options.isOnline(page)) return exchange.fail(new TypeError('fetch failed'))
          if (options.isFlooded()) return
          const answered = answer(sent, exchange)
          const response = answered instanceof Response ? answered : answered.response
          if (response === 'lost') return exchange.fail(new TypeError('fetch failed'))
          exchange.isHanging = response === 'silence' || !(answered instanceof Response)
          if (response !== 'silence') resolve(connected(response, exchange))
        }, LATENCY_MS)
      }),
  }
}

/** The response, but for one that a `tools/call` would wait behind. */
function answeredAtAll({ method }: Sent<unknown>, options: MangleOptions): MangledResponse {
  const mangled = mangledResponse(options)
  const { fault, id } = options
  if (!KNOWN_FAULTS.has('answers to tools/call that leave it without an answer') || method !== 'tools/call')
    return mangled
  const { response, sent } = mangled
  if (fault === undefined || !(response instanceof Response)) return mangled
  const isAnswered = response.status !== 202 && answers(sent, id)
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  return isAnswered || isStream || !response.ok ? mangled : { response: 'lost', sent: '' }
}

function answers(text: string, id: unknown): boolean {
  try {
    const message: unknown = JSON.parse(text)
    const { id: own, result, error, method } = message as Json
    return own === id && method === undefined && (result !== undefined || error !== undefined)
  } catch {
    // No JSON is a failure, and ends the call.
    return true
  }
}

/** The task that a pushed message is about. */
function idOf({ params }: Json): string | undefined {
  const taskId = (params as Json | undefined)?.['taskId']
  return typeof taskId === 'string' ? taskId : undefined
}
