/** The longest wait, in ms, that a server or a record is believed to ask for: anything longer is a mistake. */
export const LONGEST_WAIT_MS: number = 24 * 60 * 60 * 1000

/** How tasks are polled, calls are sent and failures back off. All times in ms. */
export interface PollPolicy {
  readonly defaultIntervalMs: number
  readonly minIntervalMs: number
  readonly hidden: 'continue' | 'pause'
  readonly baseMs: number
  readonly maxMs: number
  readonly maxAttempts: number
  /** How often a task is polled all the same while the server pushes what happens to it. */
  readonly safetyIntervalMs: number
  /** A poll without a response for this long has failed. */
  readonly requestTimeoutMs: number
  /** A `tools/call` without a response for this long is interrupted, and not sent again. */
  readonly callTimeoutMs: number
}

export const DEFAULT_POLL_POLICY: PollPolicy = {
  defaultIntervalMs: 1000,
  minIntervalMs: 50,
  hidden: 'continue',
  baseMs: 500,
  maxMs: 30_000,
  maxAttempts: Number.POSITIVE_INFINITY,
  safetyIntervalMs: 30_000,
  requestTimeoutMs: 30_000,
  callTimeoutMs: 60 * 60 * 1000,
}

/** The longest delay that a timer holds; browsers and Node fire at once for anything above. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1

/** The interval to keep: the server's where it gave one, else the default, within what is sane. */
export function pollInterval(pollIntervalMs: number | undefined, policy: PollPolicy): number {
  const asked = pollIntervalMs ?? policy.defaultIntervalMs
  const interval = Number.isNaN(asked) ? policy.defaultIntervalMs : asked
  return Math.min(Math.max(interval, policy.minIntervalMs), LONGEST_WAIT_MS)
}

/** Exponential backoff with full jitter: anything between none and the whole of `base * 2^(failures - 1)`. */
export function backoffDelay(failures: number, policy: PollPolicy, random: number): number {
  return random * Math.min(policy.maxMs, policy.baseMs * 2 ** (failures - 1))
}
