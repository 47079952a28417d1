import type { Environment } from '../environment/environment.js'
import { aborted, onAbort } from './abort.js'

export interface LimitOptions {
  readonly environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>
  readonly ms: number
  /** What it rejects with after so many ms. */
  readonly late: () => Error
  /** Ends the work, and rejects with its reason. */
  readonly signal?: AbortSignal | null | undefined
}

/** Gives up what takes longer than so many ms, also where nothing in it looks at the signal. */
export async function withLimit<T>(
  { environment, ms, late, signal }: LimitOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const timer = environment.setTimeout(() => over.abort(late()), ms)
  const stopListening = signal && onAbort(signal, () => over.abort(signal.reason))
  try {
    return await Promise.race([work(over.signal), aborted(over.signal)])
  } finally {
    environment.clearTimeout(timer)
    stopListening?.()
  }
}
