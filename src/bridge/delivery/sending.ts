import { createSemaphore, type Semaphore } from '../../core/time/semaphore.js'
import type { DueDelivery } from './delivery.js'
import { DeliveryFailedError } from './deliveryFailedError.js'
import { retryDelayMs, tryAt } from './retryDelay.js'
import type { Item, Shelf, ShelfOptions } from './shelf.js'

/** What came of an attempt. `over`: no other attempt can change it. */
export type Attempt =
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'over'; readonly error: Error }
  | {
      readonly outcome: 'again'
      readonly error: Error
      readonly retryAfterMs?: number | undefined
      /** Which of several receivers have it by now. */
      readonly reached?: readonly string[]
    }

export interface SendingOptions extends ShelfOptions {
  /** Never rejects. */
  readonly attempt: (delivery: DueDelivery, signal: AbortSignal) => Promise<Attempt>
  /** How long after the end of the call a message is of use, in ms. */
  readonly limitMs: number
}

/** So many messages are sent at the same time. */
const MAX_AT_ONCE = 8

/** So many of one user: those of others go on while a receiver does not answer. */
const MAX_OF_USER = 2

/** A line for each user who has something in it. */
function createLines(): (userId: string, work: () => Promise<void>) => Promise<void> {
  const lines = new Map<string, { readonly inPlace: Semaphore; length: number }>()
  return async (userId, work) => {
    const line = lines.get(userId) ?? { inPlace: createSemaphore(MAX_OF_USER), length: 0 }
    lines.set(userId, line)
    line.length += 1
    try {
      await line.inPlace(work)
    } finally {
      line.length -= 1
      if (line.length === 0) lines.delete(userId)
    }
  }
}

/** Sends a message that is due, and says when to try again. */
export function createSending(options: SendingOptions, shelfOf: () => Shelf): (item: Item) => Promise<void> {
  const { environment, attempt, limitMs, report } = options
  const { now, random } = environment
  const inPlace = createSemaphore(MAX_AT_ONCE)
  const ofUser = createLines()

  /** The delivery, if it is this process that has to send it now. */
  async function taken(item: Item): Promise<DueDelivery | undefined> {
    const { store, items, signal, drop, schedule } = shelfOf()
    const { id } = item.delivery
    if (signal.aborted || items.get(id) !== item) return undefined
    const found = item.isSaved ? await store.read(id) : item.delivery
    if (found === undefined) {
      drop(item)
      return undefined
    }
    if (found !== 'unknown') item.delivery = found
    const { delivery } = item
    if (signal.aborted || delivery.stage === 'open') return undefined
    if (tryAt(delivery.nextAt, now()) <= now()) return delivery
    schedule(item)
    return undefined
  }

  async function send(item: Item, isHeld: () => boolean): Promise<void> {
    const { store, items, signal, remove, drop, schedule } = shelfOf()
    const delivery = await taken(item)
    if (delivery === undefined) return
    const came = await attempt(delivery, signal)
    if (came.outcome === 'taken') return remove(delivery.id)
    // What was cut off is sent again by the next process. What was forgotten meanwhile is not.
    if (signal.aborted || items.get(delivery.id) !== item) return
    // This process was frozen during the attempt: another one has taken the message over, and may have delivered it.
    const found = item.isSaved && !isHeld() ? await store.read(delivery.id) : 'unknown'
    if (found === undefined) return drop(item)
    if (found !== 'unknown') {
      item.delivery = found
      return schedule(item)
    }
    const attempts = delivery.attempts + 1
    const nextAt = came.outcome === 'again' ? nextTime(delivery, attempts, came.retryAfterMs) : undefined
    if (nextAt === undefined) {
      const { id, callId, userId } = delivery
      report(new DeliveryFailedError({ deliveryId: id, attempts, callId, cause: came.error }), userId)
      return remove(delivery.id)
    }
    const reached = ('reached' in came && came.reached) || delivery.reached
    item.delivery = { ...delivery, attempts, nextAt, reached }
    item.isSaved = (await store.write(item.delivery)) || item.isSaved
    schedule(item)
  }

  function nextTime({ endedAt }: DueDelivery, attempts: number, retryAfterMs = 0): number | undefined {
    const delayMs = retryDelayMs(attempts, random())
    if (delayMs === undefined) return undefined
    const at = now() + Math.max(delayMs, retryAfterMs)
    return at > endedAt + limitMs ? undefined : at
  }

  return (item) => {
    const { id, userId } = item.delivery
    return ofUser(userId, () => inPlace(() => shelfOf().alone(id, (isHeld) => send(item, isHeld))))
  }
}
