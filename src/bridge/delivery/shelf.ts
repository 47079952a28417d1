import type { Environment, TimerHandle } from '../../core/environment/environment.js'
import { asError } from '../../core/protocol/asError.js'
import type { TaskStorage } from '../../core/storage/taskStorage.js'
import { onAbort } from '../../core/time/abort.js'
import { createScheduler } from '../../core/time/scheduler.js'
import type { Wakeable } from '../../core/time/wakeQueue.js'
import { unrefTimer } from '../../server/base/clock.js'
import { createKeyedQueue } from '../../server/base/keyedQueue.js'
import type { Delivery } from './delivery.js'
import { createDeliveryStore, type DeliveryStore } from './deliveryStore.js'
import { tryAt } from './retryDelay.js'

/** The parts of an environment that deliveries need. Several processes must share the same `locks`. */
export type DeliveryEnvironment = Pick<
  Environment,
  'now' | 'setTimeout' | 'clearTimeout' | 'random' | 'randomId' | 'fetch' | 'locks'
>

export interface ShelfOptions {
  /** Tells the senders of one storage apart. */
  readonly name: string
  readonly storage: TaskStorage
  readonly environment: DeliveryEnvironment
  /** Called with what goes wrong, and with the user whom it is about. */
  readonly report: (error: Error, userId: string | undefined) => void
}

/** A delivery in this process. */
export interface Item extends Wakeable {
  delivery: Delivery
  /** Whether the storage has it. One that the storage has lost since was delivered by another process. */
  isSaved: boolean
}

/** The deliveries that this process knows. */
export interface Shelf {
  readonly items: ReadonlyMap<string, Item>
  readonly store: DeliveryStore
  add(delivery: Delivery, isSaved: boolean): Item
  /** Puts what is due in line. */
  schedule(item: Item): void
  /** Lets it go, in this process. */
  drop(item: Item): void
  /** Where the storage does not do it, it is tried again, and what was removed is not sent meanwhile. */
  remove(id: string): Promise<void>
  /** True for what the storage may still have, although it was removed. */
  isRemoved(id: string): boolean
  /** Nothing else is done with the delivery meanwhile, in this process, or in another one as long as `isHeld` says so. */
  alone<T>(id: string, work: (isHeld: () => boolean) => Promise<T>): Promise<T>
  /** Reports what goes wrong. `close()` waits for it. */
  run(work: Promise<unknown>): Promise<unknown>
  /** A timer that does not keep the process alive. */
  setTimeout(callback: () => void, delayMs: number): TimerHandle
  /** Runs `work` after a while, if the shelf is not closed by then. */
  runLater(work: () => Promise<unknown>, delayMs: number): void
  /** Aborted when nothing more is to be sent. */
  readonly signal: AbortSignal
  /** Aborted when `close()` waits no longer. Work that rejects with its reason is left to the next process. */
  readonly leaving: AbortSignal
  /** What is under way is written down, and not sent any more. */
  close(): Promise<void>
}

/** For how long `close()` waits for locks, in ms. What it does not get by then, the next process does. */
const CLOSE_MS = 5000

/** How soon it is tried again to remove something, and how seldom after some time, in ms. */
const [REMOVE_AGAIN_MS, REMOVE_SELDOM_MS] = [1000, 60_000]

/** @param onDue Called when a message is to be sent. */
export function createShelf(options: ShelfOptions, onDue: (item: Item) => Promise<void>): Shelf {
  const { name, storage, environment, report } = options
  const { now, locks, clearTimeout } = environment
  const store = createDeliveryStore(name, storage, environment, (error) => report(error, undefined))
  const items = new Map<string, Item>()
  const removed = new Set<string>()
  const enqueue = createKeyedQueue()
  const busy = new Set<Promise<unknown>>()
  const ending = new AbortController()
  const { signal } = ending
  /** Aborted when `close()` gives up on the locks that it waits for. */
  const leaving = new AbortController()

  function setTimeout(callback: () => void, delayMs: number): TimerHandle {
    const timer = environment.setTimeout(callback, delayMs)
    unrefTimer(timer)
    return timer
  }

  const scheduler = createScheduler<Item>({ now, setTimeout, clearTimeout }, (item) => run(onDue(item)))

  function run(work: Promise<unknown>): Promise<unknown> {
    const done: Promise<unknown> = work
      .catch((thrown: unknown) => {
        if (thrown !== leaving.signal.reason) report(asError(thrown), undefined)
      })
      .finally(() => busy.delete(done))
    busy.add(done)
    return done
  }

  function runLater(work: () => Promise<unknown>, delayMs: number): void {
    const timer = setTimeout(() => {
      stop()
      void run(work())
    }, delayMs)
    const stop = onAbort(signal, () => clearTimeout(timer))
  }

  function schedule(item: Item): void {
    const { delivery } = item
    if (delivery.stage !== 'due' || items.get(delivery.id) !== item) return
    scheduler.set(item, tryAt(delivery.nextAt, now()))
  }

  function drop(item: Item): void {
    const { id } = item.delivery
    scheduler.set(item, undefined)
    if (items.get(id) === item) items.delete(id)
  }

  function alone<T>(id: string, work: (isHeld: () => boolean) => Promise<T>): Promise<T> {
    return enqueue(id, () => {
      if (locks === undefined) return work(() => true)
      const lockName = `taskwire:out:${name}:${id}`
      return locks.request(lockName, { signal: leaving.signal }, (lock) => work(() => lock?.isHeld?.() ?? true))
    })
  }

  async function remove(id: string, againMs = REMOVE_AGAIN_MS): Promise<void> {
    const item = items.get(id)
    if (item !== undefined) drop(item)
    removed.add(id)
    if (await store.remove(id)) removed.delete(id)
    else runLater(() => alone(id, () => removeAgain(id, Math.min(2 * againMs, REMOVE_SELDOM_MS))), againMs)
  }

  async function removeAgain(id: string, againMs: number): Promise<void> {
    if (removed.has(id)) await remove(id, againMs)
  }

  return {
    items,
    store,
    add: (delivery, isSaved) => {
      removed.delete(delivery.id)
      const item = { delivery, isSaved, wakeAt: 0, place: -1 }
      items.set(delivery.id, item)
      schedule(item)
      return item
    },
    schedule,
    drop,
    remove: (id) => remove(id),
    isRemoved: (id) => removed.has(id),
    alone,
    run,
    setTimeout,
    runLater,
    signal,
    leaving: leaving.signal,
    close: async () => {
      ending.abort()
      scheduler.close()
      const timer = environment.setTimeout(() => leaving.abort(), CLOSE_MS)
      while (busy.size > 0) await Promise.all(busy)
      clearTimeout(timer)
    },
  }
}
