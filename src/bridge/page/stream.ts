import { asError } from '../../core/protocol/asError.js'
import { TaskRequestError } from '../../core/protocol/errors.js'
import { onAbort } from '../../core/time/abort.js'
import { backoffDelay } from '../../core/time/policy.js'
import { untilOnline } from '../../core/time/untilOnline.js'
import { type News, type Position, readNews } from '../wire/messages.js'
import type { BridgeCarrier } from './carrier.js'
import { UNAUTHORIZED } from './connectionOf.js'
import type { BackendOptions, Refusal } from './requests.js'

export interface StreamOptions extends BackendOptions {
  readonly carrier: BridgeCarrier
  /** How far this page has come. */
  readonly position: () => Position | undefined
  /** Returns false if something is missing: then everything is requested. */
  readonly onNews: (news: News) => boolean
  /** The stream has broken off, or cannot be opened; so many times in a row. */
  readonly onLost: (error: Error, failures: number) => void
  /** The backend refuses the stream. */
  readonly onRefused: (refusal: Refusal) => void
  /** Called with each sign of life of the stream that is not news. */
  readonly onAlive: () => void
}

/**
 * Reads the news of the backend until the signal aborts, or nobody is signed in. A stream that breaks off is opened again where it
 * was; one that is refused for another reason, too, since what is in front of a backend may have refused it while that was restarted.
 */
export async function followNews(options: StreamOptions, signal: AbortSignal): Promise<void> {
  const { environment, policy, onAlive } = options
  let failures = 0
  let dueAt = environment.now()
  let isGap = false

  function read(abort: AbortController): Promise<Refusal | undefined> {
    const position = isGap ? undefined : options.position()
    const onMessage = (message: unknown) => {
      const news = abort.signal.aborted ? undefined : readNews(message)
      if (news === undefined) return
      failures = 0
      isGap = !options.onNews(news)
      if (isGap) abort.abort()
    }
    const { fetch, url, carrier } = options
    return carrier.carry({ environment, fetch, url, position, abort, onMessage, onAlive })
  }

  for (;;) {
    await untilOnline({
      environment,
      signal,
      dueAt,
      onOffline: () =>
        options.onLost(new TaskRequestError('The browser is offline.', { kind: 'network' }), failures + 2),
    })
    const abort = new AbortController()
    const stopListening = onAbort(signal, () => abort.abort())
    let error: Error = new TaskRequestError('The stream of the backend has ended.', { kind: 'network' })
    try {
      const refusal = await read(abort)
      if (refusal !== undefined) error = refusal.error
      if (refusal !== undefined && !(error instanceof TaskRequestError)) {
        options.onRefused(refusal)
        if (refusal.status === UNAUTHORIZED) return
        dueAt = environment.now() + (policy.maxMs * (1 + environment.random())) / 2
        continue
      }
    } catch (thrown) {
      error = asError(thrown)
    } finally {
      stopListening()
    }
    signal.throwIfAborted()
    failures += 1
    options.onLost(error, failures)
    const { retryAfterMs = 0 } = error as TaskRequestError
    const delay = Math.max(policy.minIntervalMs, backoffDelay(failures, policy, environment.random()))
    dueAt = environment.now() + Math.max(delay, retryAfterMs)
  }
}
