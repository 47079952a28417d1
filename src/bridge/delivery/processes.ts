import type { Locks } from '../../core/environment/environment.js'
import { onAbort } from '../../core/time/abort.js'
import type { DeliveryEnvironment, Shelf } from './shelf.js'

/** The processes that share a storage. Each of them holds a lock for as long as it lives, and the storage has its name. */
export interface Processes {
  /** The name of this process. */
  readonly own: string
  /** Resolves when the storage has the name of this process. */
  readonly isNamed: Promise<unknown>
  /** Calls `takeOver` for each process that has ended, in one process at a time. Its name is removed if nothing is left of it. */
  lookForEnded(takeOver: (name: string) => Promise<boolean>): Promise<void>
}

/** How long to wait for the lock of a process that may have ended, in ms. */
const TRY_MS = 1000
/** How long a process waits before it requests a lost lock again, in ms. */
const AGAIN_MS = 1000

/**
 * ```text
 * A  name ─ lock ─ open notes, with the name of A ─╳ killed
 * B                                                   each minute: is the lock free? ─ takes over the notes ─ removes the name
 * A  (was only frozen)                                                                    lock ─ name ─ continues
 * ```
 *
 * A process that was frozen still follows its calls, as does the one that has taken them over. Only one of them sends each message.
 */
export function createProcesses(
  outbox: string,
  locks: Locks,
  { randomId, clearTimeout }: Pick<DeliveryEnvironment, 'randomId' | 'clearTimeout'>,
  { store, setTimeout, signal }: Shelf,
): Processes {
  const own = randomId()
  const lockOf = (name: string) => `taskwire:out:${outbox}:process:${name}`
  const isNamed = store.writeName(own)

  async function live(): Promise<void> {
    while (!signal.aborted) {
      const hold = async () => {
        // Another one may have taken it for ended, and have removed it.
        await store.writeName(own)
        await new Promise<void>((resolve) => onAbort(signal, resolve))
      }
      await locks.request(lockOf(own), { signal }, hold).catch(() => {})
      if (!signal.aborted) await new Promise<void>((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }

  /** Runs `work` under the lock of that process, if the process has ended and no other one has the lock. */
  async function ifEnded(name: string, work: () => Promise<void>): Promise<void> {
    const trying = new AbortController()
    const giveUp = () => trying.abort()
    const stop = onAbort(signal, giveUp)
    const timer = setTimeout(giveUp, TRY_MS)
    // What is not done, because the lock was not free or was lost, is done at the next look.
    await locks.request(lockOf(name), { signal: trying.signal }, work).catch(() => {})
    clearTimeout(timer)
    stop()
  }

  void live()
  return {
    own,
    isNamed,
    lookForEnded: async (takeOver) => {
      const names = await store.names()
      const end = (name: string) =>
        ifEnded(name, async () => {
          if (await takeOver(name)) await store.removeName(name)
        })
      await Promise.all(names.filter((name) => name !== own).map(end))
    },
  }
}
