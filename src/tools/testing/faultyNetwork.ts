import { TaskConfigurationError } from '../../core/protocol/errors.js'
import type { Clock } from '../../server/base/clock.js'
import { sleep } from '../../server/base/sleep.js'
import type { FaultOptions, Faults } from './faults.js'
import { createOpenStreams } from './openStreams.js'

/** The switches together with what they do. */
export interface FaultyNetwork {
  readonly faults: Faults
  /** Answers a request with `serve`, or not, as the switches are. */
  transmit(request: Request, method: string, serve: () => Promise<Response>): Promise<Response>
}

/** What `fetch` rejects with where a request was dropped. */
export class NetworkFault extends TypeError {
  constructor() {
    super('Failed to fetch')
  }
}

type Fault = (serve: () => Promise<Response>, request: Request) => Promise<Response>

interface Switch {
  readonly fault: Fault
  readonly method: string | undefined
  left: number
}

/** A network without faults, so far. Delays are by this clock. */
export function createFaultyNetwork(clock: Clock): FaultyNetwork {
  const switches = new Set<Switch>()
  const streams = createOpenStreams()

  function add(fault: Fault, { method, times = Number.POSITIVE_INFINITY }: FaultOptions = {}): () => void {
    const added: Switch = { fault, method, left: times }
    switches.add(added)
    return () => {
      switches.delete(added)
    }
  }

  return {
    faults: {
      drop({ lose = 'request', ...options } = {}) {
        if (lose !== 'request' && lose !== 'response') throw unknownLoss(lose)
        return add(async (serve) => {
          if (lose === 'response') await serve().then(discard)
          throw new NetworkFault()
        }, options)
      },
      delay: (ms, options) =>
        add(async (serve, { signal }) => {
          const wait = () => (ms === Number.POSITIVE_INFINITY ? aborted(signal) : sleep(clock, ms, signal))
          return serve().finally(wait)
        }, options),
      status: (status, { retryAfter, ...options } = {}) =>
        add(async () => {
          const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
          return new Response(null, { status, headers })
        }, options),
      malformed: ({ body = '{"jsonrpc":"2.0","id":1,"resu', ...options } = {}) =>
        add(async (serve) => {
          await serve().then(discard)
          return new Response(body, { headers: { 'Content-Type': 'application/json' } })
        }, options),
      cut: ({ method } = {}) => streams.cut(method),
      clear: () => switches.clear(),
    },
    async transmit(request, method, serve) {
      function pass([next, ...others]: readonly Switch[]): Promise<Response> {
        if (next === undefined) return serve()
        if (next.left <= 0) return pass(others)
        next.left -= 1
        return next.fault(() => pass(others), request)
      }
      return streams.add(method, await pass([...switches].filter((one) => (one.method ?? method) === method)))
    },
  }
}

/** In JavaScript nothing else would say that a request was dropped where a response was meant. */
function unknownLoss(lose: unknown): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to drop requests: \`lose\` is ${JSON.stringify(lose)}. Pass 'request' or 'response'.`,
  )
}

/** Lets go of a response that is not delivered: it may be a stream without end. */
async function discard({ body }: Response): Promise<void> {
  await body?.cancel()
}

/** Nothing, until the client gives up. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
