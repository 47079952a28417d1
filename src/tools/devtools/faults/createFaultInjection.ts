import { browserEnvironment } from '../../../core/environment/browserEnvironment.js'
import type { Environment } from '../../../core/environment/environment.js'
import { freezableTimers } from './freezableTimers.js'

/**
 * A fault to cause on purpose.
 *
 * - `offline`: the page has no network; open requests and streams break
 * - `lose-next-answer`: the next response is lost on its way to the page, once; the server has acted on the request
 * - `answer-503`: every request gets status 503, and does not reach the server
 *
 * `lose-next-answer` and `answer-503` also end open push streams, so that the client sends a request at once.
 *
 * - `slow`: every response arrives three seconds late
 * - `freeze`: the timers of the client stop, as in a tab that the browser has frozen; afterwards they all run at once
 */
export type Fault = 'offline' | 'lose-next-answer' | 'answer-503' | 'slow' | 'freeze'

/** The part of an environment that faults change. */
export type FaultyEnvironment = Pick<
  Environment,
  'fetch' | 'setTimeout' | 'clearTimeout' | 'isOnline' | 'onOnlineChange'
>

/** Faults to switch on and off, and an environment with these faults. Made by `createFaultInjection`. */
export interface FaultInjection {
  /**
   * Pass it as `environment` to `createTaskClient`. The faults are in its `fetch`: if you pass a `fetch` in
   * `transportOptions` or to the transport of an SDK client, pass this `fetch` there.
   */
  readonly environment: FaultyEnvironment
  /** Returns the faults that are on: a new set after each change. */
  active(): ReadonlySet<Fault>
  set(fault: Fault, isOn: boolean): void
  /** Calls the listener when a fault is switched on or off. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void
}

export interface FaultInjectionOptions {
  /** The environment to add the faults to. @default the environment of the page */
  readonly environment?: Partial<FaultyEnvironment>
}

/** How much later a response comes while the network is slow, in ms. */
const SLOW_MS = 3000

/**
 * Creates switchable faults, for the buttons of the devtools panel and for tests in a browser.
 *
 * @example
 * ```ts
 * const faults = createFaultInjection()
 * const client = createTaskClient({ url: '/mcp', environment: faults.environment })
 * mountTaskwireDevtools(client, { faults })
 * ```
 */
export function createFaultInjection(options: FaultInjectionOptions = {}): FaultInjection {
  const page = { ...browserEnvironment(), ...options.environment }
  const listeners = new Set<() => void>()
  const onlineListeners = new Set<() => void>()
  const timers = freezableTimers(page)
  let active: ReadonlySet<Fault> = new Set()
  let network = new AbortController()
  let streams = new AbortController()

  function set(fault: Fault, isOn: boolean): void {
    if (active.has(fault) === isOn) return
    active = new Set(isOn ? [...active, fault] : [...active].filter((one) => one !== fault))
    if (fault === 'freeze') timers.setFrozen(isOn)
    if (isOn && (fault === 'answer-503' || fault === 'lose-next-answer')) {
      streams.abort(noNetwork())
      streams = new AbortController()
    }
    if (fault === 'offline') {
      if (isOn) network.abort(noNetwork())
      else network = new AbortController()
      for (const listener of [...onlineListeners]) listener()
    }
    for (const listener of [...listeners]) listener()
  }

  async function fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    network.signal.throwIfAborted()
    if (active.has('answer-503')) {
      return new Response('The devtools answer for the server.', { status: 503, statusText: 'Service Unavailable' })
    }
    const signal = init.signal ? AbortSignal.any([init.signal, network.signal]) : network.signal
    const response = await page.fetch(url, { ...init, signal })
    if (active.has('slow')) await pause(page, SLOW_MS, signal)
    if (!active.has('lose-next-answer'))
      return isStream(response) ? untilAborted(response, AbortSignal.any([streams.signal, signal])) : response
    set('lose-next-answer', false)
    await response.body?.cancel()
    throw noNetwork()
  }

  return {
    environment: {
      fetch,
      setTimeout: timers.setTimeout,
      clearTimeout: timers.clearTimeout,
      isOnline: () => page.isOnline() && !active.has('offline'),
      onOnlineChange: (listener) => {
        const own = () => listener()
        onlineListeners.add(own)
        const stop = page.onOnlineChange(own)
        return () => {
          onlineListeners.delete(own)
          stop()
        }
      },
    },
    active: () => active,
    set,
    subscribe: (listener) => {
      const own = () => listener()
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
  }
}

function isStream({ headers, body }: Response): boolean {
  return body !== null && headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** The response, whose body breaks off when the signal aborts. */
function untilAborted(response: Response, signal: AbortSignal): Response {
  const broken = new TransformStream<Uint8Array, Uint8Array>()
  response.body?.pipeTo(broken.writable, { signal }).catch(() => {})
  const { status, statusText, headers } = response
  return new Response(broken.readable, { status, statusText, headers })
}

/** As Chromium says it. */
function noNetwork(): TypeError {
  return new TypeError('Failed to fetch')
}

function pause(page: FaultyEnvironment, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = page.setTimeout(resolve, ms)
    const abort = () => {
      page.clearTimeout(timer)
      reject(signal.reason)
    }
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
