import { mustBe } from '../../../core/client/mustBe.js'
import { browserEnvironment } from '../../../core/environment/browserEnvironment.js'
import type { Channel, Environment, Locks } from '../../../core/environment/environment.js'
import { type BusWire, createBus } from './bus.js'
import { createChannels } from './channels.js'
import { createLeaseLocks, type LeaseStore } from './leaseLocks.js'

/** The locks and channels that the clients of all processes share. Pass it as the option `environment` of each client. */
export interface BackendEnvironment extends Pick<Environment, 'channel' | 'locks'> {
  /** Locks across processes. A lock is a lease, which its holder renews. */
  readonly locks: Locks
  /** Opens a channel across processes. Its messages are JSON. */
  readonly channel: (name: string) => Channel
  /**
   * Releases all locks, so that other processes need not wait for them to expire, and ends the connections that the
   * environment opened. Close the clients first.
   */
  close(): Promise<void>
}

/** The parts of an environment over a database. */
export interface BackendParts {
  readonly store: LeaseStore
  /** `receive` is called with what has come. */
  readonly openWire: (receive: (name: string, text: string) => void, names: () => readonly string[]) => BusWire
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
  const bus = createBus(
    openWire(
      (name, text) => bus.receive(name, text),
      () => bus.names,
    ),
  )
  const { locks, close } = createLeaseLocks({ store, bus, environment, leaseMs })
  return {
    locks,
    channel: createChannels(bus, environment.randomId),
    close: async () => {
      await close()
      closeWire()
    },
  }
}
