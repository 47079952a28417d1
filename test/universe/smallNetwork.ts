import type { RpcRequest, RpcResponse } from '../chaos/chaosServer.js'
import { reply } from '../chaos/replies.js'
import type { SmallPage } from './smallBrowser.js'

/** A request on its way, or its answer. */
interface Exchange {
  /** The page and the number of its request. */
  readonly id: string
  readonly page: SmallPage
  readonly request: RpcRequest
  answer?: RpcResponse
  /** Nobody waits for the answer any longer. */
  isAbandoned: boolean
  readonly resolve: (response: Response) => void
  readonly reject: (error: unknown) => void
}

export interface NetworkStep {
  readonly kind: 'arrive' | 'answer' | 'drop request' | 'drop answer'
  readonly name: string
  readonly take: () => void
}

export interface SmallNetwork {
  fetch(page: SmallPage, init: RequestInit): Promise<Response>
  steps(): NetworkStep[]
  state(): unknown
  /** Requests of the page that it waits for. */
  pending(page: SmallPage): readonly RpcRequest[]
}

export interface SmallNetworkOptions {
  readonly handle: (request: RpcRequest) => RpcResponse
  readonly onSent: (page: SmallPage, request: RpcRequest) => void
  /** A response has reached the page; undefined: nothing came back. */
  readonly onAnswered: (page: SmallPage, request: RpcRequest, answer: RpcResponse | undefined) => void
}

/** What is answered in the instant in which it is asked: the tools and what a server can do are not what is explored. */
const INSTANT = new Set(['server/discover', 'tools/list'])

export function createSmallNetwork({ handle, onSent, onAnswered }: SmallNetworkOptions): SmallNetwork {
  const underWay = new Set<Exchange>()
  const counts = new Map<SmallPage, number>()

  function stepsOf(exchange: Exchange): NetworkStep[] {
    const { id, page, request, answer } = exchange
    const { method } = request
    const end = (action: () => void) => () => {
      underWay.delete(exchange)
      page.enter(`answer ${id} ${JSON.stringify(answer ?? null)}`, action)
    }
    if (answer === undefined) {
      const arrive = () => {
        exchange.answer = handle(request)
        if (exchange.isAbandoned) underWay.delete(exchange)
      }
      const steps: NetworkStep[] = [{ kind: 'arrive', name: `${method} ${id} arrives`, take: arrive }]
      if (exchange.isAbandoned || page.isFrozen) return steps
      return [...steps, { kind: 'drop request', name: `${method} ${id} is lost`, take: end(() => fail(exchange)) }]
    }
    if (page.isFrozen) return []
    const resolve = () => {
      onAnswered(page, request, answer)
      exchange.resolve(reply.json(request, answer).response())
    }
    return [
      { kind: 'answer', name: `answer to ${method} ${id}`, take: end(resolve) },
      { kind: 'drop answer', name: `answer to ${method} ${id} is lost`, take: end(() => fail(exchange)) },
    ]
  }

  function fail({ page, request, reject }: Exchange): void {
    onAnswered(page, request, undefined)
    reject(new TypeError('fetch failed'))
  }

  /** It may arrive all the same, where that makes a difference. */
  function abandon(exchange: Exchange): void {
    exchange.isAbandoned = true
    if (exchange.answer !== undefined || exchange.request.method === 'tasks/get') underWay.delete(exchange)
  }

  return {
    fetch: (page, { signal, body }) =>
      new Promise((resolve, reject) => {
        if (!page.isAlive) return
        if (signal?.aborted) return reject(signal.reason)
        const request = JSON.parse(String(body)) as RpcRequest
        onSent(page, request)
        if (INSTANT.has(request.method)) return resolve(reply.json(request, handle(request)).response())
        const number = (counts.get(page) ?? 0) + 1
        counts.set(page, number)
        const exchange: Exchange = {
          id: `${page.name}.${number}`,
          page,
          request,
          isAbandoned: false,
          resolve,
          reject,
        }
        underWay.add(exchange)
        signal?.addEventListener('abort', () => {
          if (!underWay.has(exchange) || exchange.isAbandoned) return
          abandon(exchange)
          reject(signal.reason)
        })
      }),
    steps: () => {
      for (const exchange of underWay) if (!exchange.page.isAlive && !exchange.isAbandoned) abandon(exchange)
      return [...underWay].flatMap(stepsOf)
    },
    state: () => [...underWay].map(({ id, answer, isAbandoned }) => [id, answer ?? null, isAbandoned]).sort(),
    pending: (page) =>
      [...underWay].flatMap((exchange) => (exchange.page === page && !exchange.isAbandoned ? [exchange.request] : [])),
  }
}
