import type { Environment, HeldLock, Locks } from '../../../core/environment/environment.js'
import { abortError } from '../../../core/time/abort.js'
import { repeat } from '../../../server/base/repeat.js'
import { within } from '../../../server/base/within.js'
import type { Bus } from './bus.js'
import { createWaker } from './waker.js'

/** A lease that is held, or asked for. */
export interface Lease {
  readonly name: string
  /** Who holds it: another text for each request. */
  readonly token: string
}

/** Where leases are kept: one for each name, which ends unless it is renewed. */
export interface LeaseStore {
  /**
   * Takes a lease that is free, that this token has, or in any case with `steals`. Resolves to 0 where it was taken, else to
   * how long it may last, in ms.
   */
  take(lease: Lease, leaseMs: number, steals: boolean): Promise<number>
  /** Resolves to the tokens whose leases had not ended, and are renewed. */
  renew(leases: readonly Lease[], leaseMs: number): Promise<ReadonlySet<string>>
  /** Frees a lease, where this token has it. */
  release(lease: Lease): Promise<unknown>
}

export interface LeaseLocksOptions {
  readonly store: LeaseStore
  readonly bus: Bus
  readonly environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout' | 'random' | 'randomId'>
  readonly leaseMs: number
}

/** Locks over processes. */
export interface LeaseLocks {
  readonly locks: Locks
  /** Lets go of every lock, so that other processes need not wait for the end of its lease. */
  close(): Promise<void>
}

/** How long to wait for a store that cannot be reached, in ms. */
const RETRY_MS = 1000
/** Processes that wait for one lease ask for it at different times, in ms. */
const JITTER_MS = 50
/** A process that lets go of a lock waits for so long before it asks for it again, in ms: others may have it first. */
const OTHERS_FIRST_MS = 100
/** Leases that are renewed at once: a database does nothing else meanwhile. */
const BATCH = 500

const FREE = 'free:'
const STOLEN = 'stolen:'

interface HeldLease extends Lease {
  /** Until when it is certainly this one's, ms since the epoch. */
  until: number
  lose(): void
}

/**
 * Web Locks over processes, by leases: a lock is a lease that its holder renews. It is free when the holder lets go of it, or
 * one lease after the holder was killed, frozen or cut off.
 *
 * ```text
 * A  take ── renew ── renew ─╳ killed            the lease ends
 * B       take: 8 s left ─────── waits ──────────────── take
 * C                                                          steal ── B hears of it, or learns it when it renews
 * ```
 *
 * Where the store cannot be reached, no lock is granted: the request waits.
 */
export function createLeaseLocks({ store, bus, environment, leaseMs }: LeaseLocksOptions): LeaseLocks {
  const held = new Map<string, HeldLease>()
  /** The latest request that steals, by the name of the lock. */
  const steals = new Map<string, string>()
  const ownId = environment.randomId()
  let stopRenewing: (() => void) | undefined

  /** Resolves to the time before which the lease was not asked for. */
  async function acquire(lease: Lease, signal: AbortSignal | undefined): Promise<number> {
    const waker = createWaker(environment, signal)
    const { isOpen, stop } = bus.subscribe(channelOf(lease), (text) => {
      if (text.startsWith(FREE)) waker.wake(text === FREE + ownId ? OTHERS_FIRST_MS : 0)
    })
    // It may have become free before this was heard here.
    void isOpen.then(() => waker.wake(0))
    try {
      for (;;) {
        signal?.throwIfAborted()
        const askedAt = environment.now()
        const waitMs = await store.take(lease, leaseMs, false).catch(() => RETRY_MS)
        if (waitMs > 0) await waker.sleep(Math.min(waitMs, leaseMs) + environment.random() * JITTER_MS)
        else if (signal?.aborted) void letGo(lease)
        else return askedAt
      }
    } finally {
      stop()
      waker.close()
    }
  }

  /** The same for a lease that another has. While the store cannot be reached, only the latest of such requests is tried again. */
  async function steal(lease: Lease): Promise<number> {
    steals.set(lease.name, lease.token)
    for (;;) {
      const askedAt = environment.now()
      const waitMs = await store.take(lease, leaseMs, true).catch(() => RETRY_MS)
      const isLatest = steals.get(lease.name) === lease.token
      if (waitMs <= 0) {
        if (isLatest) steals.delete(lease.name)
        void bus.publish(channelOf(lease), STOLEN + lease.token)
        return askedAt
      }
      if (!isLatest) return new Promise<never>(() => {})
      await new Promise<void>((resolve) => environment.setTimeout(resolve, waitMs))
    }
  }

  async function letGo(lease: Lease): Promise<void> {
    try {
      await store.release(lease)
      await bus.publish(channelOf(lease), FREE + ownId)
    } catch {
      // The lease ends when it is not renewed.
    }
  }

  function hold<T>(lease: Lease, takenAt: number, work: (lock: HeldLock) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const own: HeldLease = {
        ...lease,
        until: takenAt + leaseMs,
        lose: () => {
          end()
          reject(abortError(`The lock ${lease.name} was taken by another process, or its lease has ended.`))
        },
      }
      const { stop } = bus.subscribe(channelOf(lease), (text) => {
        // It may tell late of an earlier theft than the one that this lease is from.
        if (text.startsWith(STOLEN) && text !== STOLEN + lease.token) void renew([own])
      })
      const end = () => {
        held.delete(lease.token)
        stop()
        if (held.size > 0) return
        stopRenewing?.()
        stopRenewing = undefined
      }
      held.set(lease.token, own)
      stopRenewing ??= repeat(environment, leaseMs / 3, renewAll)
      // A process that wakes looks at the clock before its timers do.
      work({ name: lease.name, isHeld: () => held.has(lease.token) && environment.now() < own.until })
        .then(resolve, reject)
        .finally(() => {
          end()
          void letGo(lease)
        })
    })
  }

  async function renewAll(): Promise<void> {
    const all = [...held.values()]
    const batches = Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) =>
      all.slice(at * BATCH, (at + 1) * BATCH),
    )
    await Promise.all(batches.map(renew))
  }

  async function renew(leases: readonly HeldLease[]): Promise<void> {
    const askedAt = environment.now()
    try {
      const kept = await within(leaseMs / 3, 'renew leases', store.renew(leases, leaseMs))
      for (const lease of leases) {
        if (kept.has(lease.token)) lease.until = askedAt + leaseMs
        else if (held.has(lease.token)) lease.lose()
      }
    } catch {
      // The next time may come too late: by then another process may have it.
      const nextAt = environment.now() + leaseMs / 3
      for (const lease of leases) if (held.has(lease.token) && nextAt >= lease.until) lease.lose()
    }
  }

  return {
    locks: {
      request: async (name, { signal, steal: isSteal = false }, work) => {
        const lease = { name, token: environment.randomId() }
        return hold(lease, await (isSteal ? steal(lease) : acquire(lease, signal)), work)
      },
    },
    close: async () => {
      const all = [...held.values()]
      for (const lease of all) lease.lose()
      await Promise.all(all.map(letGo))
    },
  }
}

function channelOf({ name }: Lease): string {
  return `lock:${name}`
}
