import type { Environment, Unsubscribe } from '../environment/environment.js'
import { ConnectionFailedError, TaskConfigurationError } from '../protocol/errors.js'
import { onAbort } from '../time/abort.js'
import { createFloor } from '../time/floor.js'
import { backoffDelay, type PollPolicy } from '../time/policy.js'
import { untilOnline } from '../time/untilOnline.js'
import { withLimit } from '../time/withLimit.js'
import type { ConnectionState } from './connection.js'
import { connectionError, isPassingFailure } from './errors.js'
import type { ConnectedSdk, SdkAdapter } from './sdkAdapter.js'
import { needsSignIn } from './signInErrors.js'
import { HttpError, WireError } from './wireErrors.js'

/** How connecting is repeated. */
export interface ConnectRetry {
  /** Attempts in a row before it is an error. */
  readonly attempts: number
  readonly policy: PollPolicy
  readonly environment: Environment
  /** For how many ms the server still wants to be left alone. */
  readonly leftMs: () => number
}

export interface OpeningOptions {
  readonly sdk: SdkAdapter
  /** For error messages. */
  readonly url: string | undefined
  readonly onState: (state: ConnectionState) => void
  /** Undefined where there is nothing to connect over a second time. */
  readonly retry?: ConnectRetry | undefined
}

export interface Opening {
  /** The connection that there is, or a new one: one attempt, which others may have begun, no earlier than the server wants. */
  connected(): Promise<ConnectedSdk>
  /** The same for the app, which waits while an attempt that failed in a way that may pass is repeated. */
  connectedForApp(signal?: AbortSignal): Promise<ConnectedSdk>
  /** The connection that there is. */
  current(): ConnectedSdk | undefined
  close(): Promise<void>
}

/** Attempts in a row that the app waits for. */
interface Persisting {
  readonly connected: Promise<ConnectedSdk>
  /** How many wait. */
  waiting: number
  end(reason: unknown): void
}

/**
 * Opens a connection at the first use, and again where it was lost.
 *
 * ```text
 * attempt ── 503 ── backoff ── attempt ── no network ── backoff ── attempt ── 503 ── failed ···· online, shown ── attempt
 * state:  connecting              (with the error)                                   failed                   connecting
 * ```
 */
export function createOpening({ sdk, url, onState, retry }: OpeningOptions): Opening {
  let connecting: Promise<ConnectedSdk> | undefined
  let open: ConnectedSdk | undefined
  let persisting: Persisting | undefined
  let attemptsLeft = 0
  /** What the last attempt has failed with. */
  let failure: Error | undefined
  const closing = new AbortController()
  const closed = closing.signal
  const turns = takeTurns(retry, closed)
  const page = watchPage(retry?.environment, () => {
    if (leftMs() === 0) connectedForApp().catch(() => {})
  })

  async function connect(): Promise<ConnectedSdk> {
    const connected = await inTime(retry, (signal) => sdk.open(() => onState({ status: 'connecting' }), signal))
    if (closed.aborted) {
      connected.tasks.close()
      await sdk.close()
      throw closed.reason
    }
    open = connected
    page.stop()
    onState(connected.state)
    return connected
  }

  // One attempt at a time; a failed one is forgotten, so that the next use tries again.
  function attempt(): Promise<ConnectedSdk> {
    if (closed.aborted) return Promise.reject(closed.reason)
    if (connecting !== undefined && open?.isLost() !== true) return connecting
    open?.tasks.close()
    open = undefined
    connecting = connect().catch((cause: unknown) => {
      connecting = undefined
      closed.throwIfAborted()
      const error = connectionError(cause, url, retry?.environment.baseUrl())
      failure = error
      turns.begin()
      // Whether it may be asked again before anybody has lost patience.
      const isSoon = retry !== undefined && leftMs() <= retry.policy.maxMs
      const isRepeated = attemptsLeft > 0 && isPassingFailure(cause) && isSoon
      if (!isRepeated) attemptsLeft = 0
      onState({ status: isRepeated ? 'connecting' : needsSignIn(cause) ? 'unauthorized' : 'failed', error })
      if (!isRepeated && isPassingFailure(cause)) page.watch()
      throw error
    })
    return connecting
  }

  const leftMs = () => (failure === undefined ? 0 : (retry?.leftMs() ?? 0))

  /**
   * Connects for polls, pushes and deliveries: not before `Retry-After`, and no more than one attempt in
   * `policy.defaultIntervalMs`, however many tasks back off on their own.
   */
  function connected(): Promise<ConnectedSdk> {
    if (retry === undefined || failure === undefined || connecting !== undefined || closed.aborted) return attempt()
    const left = leftMs()
    if (left > 0) return Promise.reject(askingFor(left, failure))
    return turns.next(connected) ?? attempt()
  }

  async function persist({ attempts, policy, environment }: ConnectRetry, signal: AbortSignal) {
    attemptsLeft = attempts
    for (let failures = 1; ; failures++) {
      attemptsLeft -= 1
      try {
        return await attempt()
      } catch (error) {
        signal.throwIfAborted()
        const backoffUntil = environment.now() + backoffDelay(failures, policy, environment.random())
        do {
          if (attemptsLeft <= 0) throw failure ?? error
          const dueAt = Math.max(backoffUntil, environment.now() + leftMs())
          await untilOnline({ environment, signal, dueAt }).catch((reason: unknown) => {
            if (!closed.aborted) onState({ status: 'failed', error: error as Error })
            throw reason
          })
          // A poll may have been told meanwhile that the server wants to be left alone for longer.
        } while (leftMs() > 0)
      }
    }
  }

  function begin(rules: ConnectRetry): Persisting {
    const controller = new AbortController()
    // The next caller starts again: it must not fail because another caller has left.
    const leave = () => {
      if (persisting !== begun) return
      persisting = undefined
      attemptsLeft = 0
    }
    const begun: Persisting = {
      connected: persist(rules, controller.signal).finally(leave),
      waiting: 0,
      end: (reason) => {
        leave()
        controller.abort(reason)
      },
    }
    return begun
  }

  function connectedForApp(signal?: AbortSignal): Promise<ConnectedSdk> {
    if (retry === undefined || closed.aborted || open?.isLost() === false) return attempt()
    persisting ??= begin(retry)
    return join(persisting, signal)
  }

  return {
    connected,
    connectedForApp,
    current: () => open,
    close: async () => {
      closing.abort(closedError())
      page.stop()
      persisting?.end(closed.reason)
      onState({ status: 'closed' })
      open?.tasks.close()
      await sdk.close()
    },
  }
}

/** Makes one attempt to connect for all background requests, `policy.defaultIntervalMs` after the last one failed. */
function takeTurns(retry: ConnectRetry | undefined, signal: AbortSignal) {
  const floor = createFloor(() => retry?.environment.now() ?? 0)
  let waiting: Promise<ConnectedSdk> | undefined
  return {
    begin: () => floor.set(retry?.policy.defaultIntervalMs ?? 0),
    /** Asks when it is time, once for all who wait. Undefined where it is time. */
    next: (ask: () => Promise<ConnectedSdk>): Promise<ConnectedSdk> | undefined => {
      const left = floor.leftMs()
      if (retry === undefined || left === 0) return undefined
      const { environment } = retry
      // The app may have asked meanwhile, and been told to wait.
      const again = () => {
        waiting = undefined
        return ask()
      }
      waiting ??= untilOnline({ environment, signal, dueAt: environment.now() + left }).then(again, again)
      return waiting
    },
  }
}

/** A failure, asking for the time that is left: what fails with it now is not to wait for all of it once more. */
function askingFor(retryAfterMs: number, error: Error): Error {
  const { status, data } = Object(error.cause) as Partial<HttpError>
  if (status === undefined) return error
  return new ConnectionFailedError(error.message, { cause: new HttpError(status, data?.text ?? '', retryAfterMs) })
}

/** Gives an attempt up that takes longer than a poll may, also where nothing in it looks at the signal. */
export function inTime<T>(
  retry: ConnectRetry | undefined,
  open: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  if (retry === undefined) return open(new AbortController().signal)
  const { environment, policy } = retry
  const ms = policy.requestTimeoutMs
  const late = () => new WireError('REQUEST_TIMEOUT', `The server did not answer within ${ms / 1000} s`)
  return withLimit({ environment, ms, late, signal }, open)
}

/** A server that was down is tried again when the page is online again, or is looked at. */
function watchPage(environment: Environment | undefined, tryAgain: () => void): { watch(): void; stop(): void } {
  let subscriptions: Unsubscribe[] = []
  return {
    watch: () => {
      if (environment === undefined || subscriptions.length > 0) return
      const look = () => {
        if (environment.isOnline() && environment.isVisible()) tryAgain()
      }
      subscriptions = [
        environment.onOnlineChange(look),
        environment.onVisibilityChange(look),
        environment.onPageShow(look),
      ]
    },
    stop: () => {
      for (const unsubscribe of subscriptions) unsubscribe()
      subscriptions = []
    },
  }
}

/** Waits for the attempts until the signal aborts. They end when the last caller stops waiting. */
function join(joined: Persisting, signal: AbortSignal | undefined): Promise<ConnectedSdk> {
  joined.waiting += 1
  if (signal === undefined) return joined.connected
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, () => {
      joined.waiting -= 1
      if (joined.waiting === 0) joined.end(signal.reason)
      reject(signal.reason)
    })
    joined.connected.then(resolve, reject).finally(stopListening)
  })
}

function closedError(): TaskConfigurationError {
  return new TaskConfigurationError('This task client is closed. Create a new one with createTaskClient().')
}
