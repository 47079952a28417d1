import type { ChaosServer, RpcRequest, RpcResponse } from './chaosServer.js'
import { type NetworkFault, PUSH_FAULTS, type Tally } from './faults.js'
import { createPushStreams, type PushTrouble } from './pushStreams.js'
import { type Delivery, malformed, type Reply, reply, rpcBody } from './replies.js'

/** Which requests a fault is for. */
export type FaultTarget =
  | 'any'
  | 'tools/call'
  | 'tasks/get'
  | 'tasks/cancel'
  | 'tasks/update'
  | 'server/discover'
  | 'subscriptions/listen'

export interface PlannedFault {
  readonly target: FaultTarget
  readonly kind: NetworkFault
  /** Chooses among the forms that a fault of this kind has. */
  readonly variant: number
}

/** A request on its way, and what came of it. */
export interface Exchange<Sender> {
  readonly sender: Sender
  readonly request: RpcRequest
  /** When it was sent, on the machine's own time. */
  readonly sentAt: number
}

export interface ChaosNetwork<Sender> {
  /** What `fetch` does with the request of an exchange. */
  transmit(exchange: Exchange<Sender>, init: RequestInit): Promise<Response>
  /** What the client gets to see of the exchange, once it was answered, by its clock of now. */
  delivery(exchange: Exchange<Sender>): Delivery | undefined
  plan(fault: PlannedFault): void
  /** Every request fails for so long. */
  outage(ms: number): void
  /** The sender has lost its connection: what is on its way fails. */
  disconnect(sender: Sender): void
  /** Streams of status notifications break. Returns how many there were. */
  cutStreams(): number
  /** A client has changed a task. */
  changed(): void
  /** No faults any more, and what hangs is let go of. */
  heal(): void
  /** Who has sent the requests that are under way and that nobody has aborted. */
  pending(): Sender[]
}

export interface ChaosNetworkOptions<Sender> {
  readonly server: ChaosServer
  readonly isOnline: (sender: Sender) => boolean
  /** Nothing reaches it for now. */
  readonly isAsleep: (sender: Sender) => boolean
  readonly isGone: (sender: Sender) => boolean
  /** Called with what a stream of status notifications has told a page. `isNew`: it is how the task is now. */
  readonly onPushed: (sender: Sender, snapshot: Readonly<Record<string, unknown>>, isNew: boolean) => void
  /** ms since the epoch; the machine's own time, which nobody corrects. */
  readonly now: () => number
  /** What `Date.now()` says in the pages. */
  readonly wallClock: () => number
  readonly later: (callback: () => void, delayMs: number) => void
  readonly random: () => number
  /** How long the server takes to answer, in ms, beyond what the network takes. */
  readonly answerMs: number
  readonly tally: Tally
  readonly log: (text: string) => void
}

/** A response that is on its way for so long is given up by whatever is in between. */
const NETWORK_PATIENCE_MS = 75_000
const YEAR_S = 365 * 24 * 60 * 60

export function createChaosNetwork<Sender>(options: ChaosNetworkOptions<Sender>): ChaosNetwork<Sender> {
  const { server, now, random, tally, later } = options
  const streams = createPushStreams<Sender>({ ...options, server: () => server })
  const planned: PlannedFault[] = []
  const underway = new Map<Exchange<Sender>, { fail: () => void; isHanging: boolean }>()
  const deliveries = new WeakMap<Exchange<Sender>, Reply['delivery']>()
  const earlier = new Map<Sender, { request: RpcRequest; answer: RpcResponse }>()
  const latency = () => Math.floor(random() * 120)
  let outageUntil = Number.NEGATIVE_INFINITY

  function take({ method }: RpcRequest): PlannedFault | undefined {
    if (now() < outageUntil) return { target: 'any', kind: random() < 0.5 ? 'request dropped' : 'HTTP 5xx', variant: 1 }
    const index = planned.findIndex(({ target }) => target === 'any' || target === method)
    return index < 0 ? undefined : planned.splice(index, 1)[0]
  }

  /** What the server, or whatever stands before it, makes of a request. Undefined: nothing comes back. */
  function answer(
    exchange: Exchange<Sender>,
    fault: PlannedFault | undefined,
    signal: AbortSignal | null | undefined,
  ): Reply | 'lost' | 'silence' {
    const { request, sender } = exchange
    const isStream = request.method === 'subscriptions/listen' && server.pushes
    const stream = (trouble?: PushTrouble) => reply.open(() => streams.open(sender, request, signal, trouble))
    const isEven = (fault?.variant ?? 0) % 2 === 0
    const handle = (staleBy = 0) => server.handle(request, staleBy)
    switch (fault?.kind) {
      case 'request dropped':
        return 'lost'
      case 'response dropped':
        handle()
        return 'lost'
      case 'silence':
        if (isEven) handle()
        return 'silence'
      case 'HTTP 5xx':
        if (isEven) handle()
        return reply.http([500, 502, 503, 504][fault.variant % 4] ?? 500)
      case 'HTTP 401':
        return reply.http(401)
      case 'HTTP 429 or 503 with Retry-After': {
        const seconds = fault.variant % 9
        return reply.patience(isEven ? 429 : 503, seconds, fault.variant % 3 === 0 ? now() : undefined)
      }
      case 'Retry-After of a year':
        return reply.patience(isEven ? 429 : 503, YEAR_S, fault.variant % 3 === 0 ? options.wallClock() : undefined)
      case 'push that lies':
      case 'push ended at once':
        return isStream ? stream({ kind: fault.kind, variant: fault.variant }) : reply.json(request, handle())
      case 'push not honoured':
        return isStream ? stream({ kind: fault.kind }) : reply.json(request, handle())
      case 'malformed response':
        return malformed(request, handle(), fault.variant)
      case 'snapshot out of date':
        return reply.json(request, handle(1000 + fault.variant * 700))
      case 'response sent twice': {
        const once = handle()
        return reply.stream(request, once, [rpcBody(request, once)])
      }
      case 'earlier response sent again': {
        const before = earlier.get(sender)
        return reply.stream(request, handle(), before ? [rpcBody(before.request, before.answer)] : [])
      }
      default:
        return isStream ? stream() : reply.json(request, handle())
    }
  }

  return {
    delivery: (exchange) => deliveries.get(exchange)?.(options.wallClock()),
    plan: (fault) => {
      const isOfPush = PUSH_FAULTS.some((kind) => kind === fault.kind)
      if (server.pushes || !isOfPush) planned.push(fault)
    },
    outage: (ms) => {
      outageUntil = now() + ms
    },
    disconnect: (sender) => {
      for (const [exchange, { fail }] of [...underway]) if (exchange.sender === sender) fail()
      streams.cut(sender)
    },
    heal: () => {
      planned.length = 0
      outageUntil = Number.NEGATIVE_INFINITY
      for (const { fail, isHanging } of [...underway.values()]) if (isHanging) fail()
    },
    cutStreams: () => streams.cut(),
    changed: streams.changed,
    pending: () => [...[...underway.keys()].map(({ sender }) => sender), ...streams.senders()],

    transmit: (exchange, { signal }) =>
      new Promise((resolve, reject) => {
        const { request, sender } = exchange
        const settle = (action: () => void) => {
          if (underway.delete(exchange)) action()
        }
        const fail = () => settle(() => reject(new TypeError('fetch failed')))
        if (signal?.aborted) return reject(signal.reason)
        signal?.addEventListener('abort', () => settle(() => reject(signal.reason)), { once: true })

        const entry = { fail, isHanging: false }
        underway.set(exchange, entry)
        if (!options.isOnline(sender)) return later(fail, 1)
        tally.add('requests')
        const fault = take(request)
        if (fault) {
          tally.add(fault.kind)
          options.log(`  ${fault.kind} (${fault.variant}): ${request.method}`)
        }
        const up = latency()
        later(() => {
          // Aborted before it arrived: who knows whether it did.
          if (!underway.has(exchange) && random() < 0.5) return
          const answered = answer(exchange, fault, signal)
          if (answered === 'lost') return later(fail, latency())
          if (answered === 'silence') {
            entry.isHanging = true
            return later(fail, NETWORK_PATIENCE_MS)
          }
          const extra = fault?.kind === 'response delayed' ? 500 + fault.variant * 900 : 0
          later(
            () =>
              settle(() => {
                if (answered.answer) earlier.set(sender, { request, answer: answered.answer })
                deliveries.set(exchange, answered.delivery)
                resolve(answered.response())
              }),
            options.answerMs + latency() + extra,
          )
        }, up)
      }),
  }
}
