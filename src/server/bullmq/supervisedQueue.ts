import { TaskStorageError } from '../../core/protocol/errors.js'
import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import { createBackoff } from '../base/backoff.js'
import { systemClock } from '../base/clock.js'
import { within } from '../base/within.js'
import type { BullmqQueue } from './bullmqClasses.js'

/** A queue of BullMQ that is opened when it is used, and again where that failed. */
export interface SupervisedQueue {
  /** Resolves once the queue has its connection. Rejects at once for a while after that failed. */
  ready(): Promise<void>
  /** Does something with the queue once it has its connection. */
  use<T>(what: string, run: (queue: BullmqQueue) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** How long the database may take to answer, in ms. */
const PATIENCE_MS = 5000

/**
 * BullMQ keeps the rejection of a connection that could not be made, and answers everything with it from then on. So a queue
 * whose first connection failed is dropped, and the next use after a pause opens another one.
 */
export function createSupervisedQueue(open: () => BullmqQueue): SupervisedQueue {
  const backoff = createBackoff()
  let current: { queue: BullmqQueue; ready: Promise<BullmqQueue> } | undefined
  let failure: { error: unknown; until: number } | undefined

  function drop(queue: BullmqQueue, error: unknown): void {
    if (current?.queue !== queue) return
    current = undefined
    const now = systemClock.now()
    failure = { error, until: now + backoff.next(now) }
    void ignoreRejection(queue.close())
  }

  function begin(): { queue: BullmqQueue; ready: Promise<BullmqQueue> } {
    const queue = open()
    // Without a listener, an error would be thrown. What fails because of it rejects.
    queue.on('error', () => {})
    const ready = within(PATIENCE_MS, 'connect to the queue', queue.waitUntilReady()).then(
      () => queue,
      (error: unknown) => {
        drop(queue, error)
        throw error
      },
    )
    current = { queue, ready }
    return current
  }

  async function opened(): Promise<BullmqQueue> {
    if (current === undefined && failure !== undefined && systemClock.now() < failure.until) throw failure.error
    return (current ?? begin()).ready
  }

  return {
    async ready() {
      try {
        await opened()
      } catch (error) {
        throw unreachable('connect to the queue', error)
      }
    },

    async use(what, run) {
      let queue: BullmqQueue | undefined
      try {
        queue = await opened()
        return await within(PATIENCE_MS, what, run(queue))
      } catch (error) {
        // Its connection may never answer again.
        if (queue !== undefined && isLate(error)) drop(queue, error)
        throw unreachable(what, error)
      }
    },

    async close() {
      const { queue } = current ?? {}
      current = undefined
      if (queue !== undefined) await within(PATIENCE_MS, 'close the queue', queue.close()).catch(() => {})
    },
  }
}

function isLate(error: unknown): boolean {
  return error instanceof TaskStorageError
}

function unreachable(what: string, cause: unknown): TaskStorageError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new TaskStorageError(
    `Failed to ${what}: ${reason === '' ? 'there is no connection' : reason}. ` +
      'Check that the database of the queue is running; the queue connects again when it is.',
    { cause },
  )
}
