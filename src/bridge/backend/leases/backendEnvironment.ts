import { createListeners } from '../../../core/client/listeners.js'
import { mustBe } from '../../../core/client/mustBe.js'
import { browserEnvironment } from '../../../core/environment/browserEnvironment.js'
import type { Channel, Environment, Locks } from '../../../core/environment/environment.js'
import { type BusWire, createBus } from './bus.js'
import { createChannels } from './channels.js'
import { createLeaseLocks, type LeaseStore } from './leaseLocks.js'

/** The locks and channels that the clients of all processes share. Pass it as the option `environment` of each client. */
export interface BackendEnvironment extends Pick<Environment, 'channel' | 'locks' | 'onPageShow'> {
  /** Locks across processes. A lock is a lease, which its holder renews. */
  readonly locks: Locks
  /** Opens a channel across processes. Its messages are JSON. */
  readonly channel: (name: string) => Channel
  /**
   * Messages may be lost while there is no connection to the database. Calls the listener once there is one again: like a page
   * that comes back, a client then reads what other processes have written.
   */
  readonly onPageShow: Environment['onPageShow']
  /**
   * Releases all locks, so that other processes need not wait for them to expire, and ends the connections that the
   * environment opened. Close the clients first.
   */
  close(): Promise<void>
}

/** What a wire calls. */
export interface WireCallbacks {
  /** A message has arrived. */
  readonly receive: (name: string, text: string) => void
  /** Messages arrive from now on: called for the first connection, and for each one after that. */
  readonly connected: () => void
  /** Returns the names to listen to. */
  readonly names: () => readonly string[]
}

/** The parts of an environment over a database. */
export interface BackendParts {
  readonly store: LeaseStore
  readonly openWire: (callbacks: WireCallbacks) => BusWire
  readonly closeWire: () => void
}

const SHORTEST_LEASE_MS = 1000
const LONGEST_LEASE_MS = 600_000

export const LEASE_MS = 10_000

export function createBackendEnvironment(
  { store, openWire, closeWire }: BackendParts,
  leaseMs: unknown,
): BackendEnvironment {
  if (typeof leaseMs !== 'number' || !(leaseMs >= SHORTEST_LEASE_MS && leaseMs <= LONGEST_LEASE_MS))
    throw mustBe('leaseMs', leaseMs, `a number from ${SHORTEST_LEASE_MS} to ${LONGEST_LEASE_MS}`)
  const environment = browserEnvironment()
  const back = createListeners<[]>((listener) => listener())
  let wasConnected = false
  const bus = createBus(
    openWire({
      receive: (name, text) => bus.receive(name, text),
      connected: () => {
        if (wasConnected) back.notify()
        wasConnected = true
      },
      names: () => bus.names,
    }),
  )
  // Databases take whole numbers only.
  const { locks, close } = createLeaseLocks({ store, bus, environment, leaseMs: Math.round(leaseMs) })
  return {
    locks,
    channel: createChannels(bus, environment.randomId),
    onPageShow: back.add,
    close: async () => {
      await close()
      closeWire()
    },
  }
}
