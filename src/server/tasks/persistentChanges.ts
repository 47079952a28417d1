import { TaskStorageError } from '../../core/protocol/errors.js'
import { type Backoff, createBackoff } from '../base/backoff.js'
import type { Clock } from '../base/clock.js'
import { createKeyedQueue } from '../base/keyedQueue.js'
import { sleep } from '../base/sleep.js'
import type { TaskRecord } from './taskRecord.js'
import type { RunEvent } from './taskReducer.js'

/** What the changes of a run need. */
export interface PersistentChangeOptions {
  readonly clock: Clock
  /** For how long a change that the store refuses is offered again, in ms. */
  readonly patienceMs: number
  readonly apply: (event: RunEvent) => Promise<TaskRecord | undefined>
  /** The signal of the run: once it has aborted, nothing is offered again. */
  readonly signal: () => AbortSignal
  /** Called when the store has refused a change for the first time. */
  readonly onError: (error: unknown) => void
}

/**
 * How the handler of a run changes its task: one change after the other, each offered until the store takes it. A database that
 * restarts, or refuses writes for a while, is no failure of the tool.
 *
 * @throws {TaskStorageError} if the store has not taken a change in `patienceMs`, the reason of `signal` if that aborts.
 */
export function createPersistentChanges(
  options: PersistentChangeOptions,
): (event: RunEvent) => Promise<TaskRecord | undefined> {
  const { clock, patienceMs, apply, signal, onError } = options
  // Not made before they are needed: few handlers change anything before they end, and there may be thousands of them.
  let oneByOne: ReturnType<typeof createKeyedQueue> | undefined
  let backoff: Backoff | undefined
  /** The one that came last: a handler may tell of its progress faster than the store can write, and only the newest counts. */
  let last: WaitingChange | undefined

  async function offer(event: RunEvent): Promise<TaskRecord | undefined> {
    const until = clock.now() + patienceMs
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await apply(event)
      } catch (error) {
        if (attempt === 1) onError(error)
        const now = clock.now()
        signal().throwIfAborted()
        if (now >= until) throw notTaken(error)
        backoff ??= createBackoff()
        await sleep(clock, Math.min(backoff.next(now), until - now), signal())
      }
    }
  }

  function enqueue(waits: WaitingChange): Promise<TaskRecord | undefined> {
    oneByOne ??= createKeyedQueue()
    return oneByOne('', () => {
      if (last === waits) last = undefined
      return offer(waits.event)
    })
  }

  return (event) => {
    if (last !== undefined && event.type === 'status' && last.event.type === 'status') {
      last.event = statusAfter(last.event, event)
      return last.taken
    }
    const waits: WaitingChange = { event, taken: Promise.resolve(undefined) }
    last = waits
    waits.taken = enqueue(waits)
    return waits.taken
  }
}

type StatusEvent = Extract<RunEvent, { type: 'status' }>

/** One write for both. Words alone leave the number where it is. */
function statusAfter({ progress }: StatusEvent, event: StatusEvent): StatusEvent {
  if (event.progress !== undefined || progress === undefined) return event
  return { ...event, progress: { ...progress, message: event.message } }
}

/** A change that has not been offered yet. */
interface WaitingChange {
  event: RunEvent
  taken: Promise<TaskRecord | undefined>
}

function notTaken(cause: unknown): TaskStorageError {
  return new TaskStorageError('Failed to change a task: the store did not accept the change during a whole lease.', {
    cause,
  })
}
