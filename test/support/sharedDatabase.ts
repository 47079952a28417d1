import { createBus } from '../../src/bridge/backend/leases/bus.js'
import { createChannels } from '../../src/bridge/backend/leases/channels.js'
import { createLeaseLocks } from '../../src/bridge/backend/leases/leaseLocks.js'
import type { Channel, Environment, Locks } from '../../src/core/environment/environment.js'
import { memoryLeases } from './memoryLeases.js'

/** Leases and messages in memory, as a database has them that the processes of a backend share. It has a clock of its own. */
export interface SharedDatabase {
  /** The end of one process. */
  connect(process: ConnectedProcess): DatabaseConnection
  /** The names of which a message was lost. */
  readonly lost: ReadonlySet<string>
}

export interface ConnectedProcess {
  readonly environment: Environment
  /** Resolves when the process is awake, and never once it is gone. */
  readonly arrival: () => Promise<void>
}

/** What a process has of `redisEnvironment()`, and the faults of its connection for messages, which keeps their order. */
export interface DatabaseConnection extends Pick<Environment, 'onPageShow'> {
  readonly locks: Locks
  readonly channel: (name: string) => Channel
  /** What others send from now on is lost; after so many ms there is a new connection. */
  lose(ms: number): void
  /** The same, and what has not arrived is lost, too: a process that was frozen gives up its connection. */
  giveUp(): void
  /** Has what others have sent arrive no sooner than after so many ms. */
  delay(ms: number): void
  /** Has so many messages arrive twice. */
  repeat(count: number): void
}

const LEASE_MS = 5000

/** How long it takes to connect again, in ms. */
const CONNECT_MS = 1000

export function createSharedDatabase({ now, setTimeout }: Environment): SharedDatabase {
  const { store } = memoryLeases(now)
  const lostNames = new Set<string>()
  const connections = new Set<(name: string, text: string) => void>()
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

  function connect({ environment, arrival }: ConnectedProcess): DatabaseConnection {
    const onBack = new Set<() => void>()
    let arrived = Promise.resolve()
    let lost = 0
    let repeated = 0

    /** How many connections were given up. */
    let givenUp = 0

    /** Takes the next message, after all that were sent before it. */
    function take(act: () => void): void {
      arrived = arrived.then(arrival).then(act)
    }

    function takeMessage(name: string, text: string): void {
      const of = givenUp
      take(() => (of === givenUp ? bus.receive(name, text) : void lostNames.add(name)))
    }

    function noticeBack(): void {
      for (const listener of [...onBack]) listener()
    }

    function lose(ms: number): void {
      lost += 1
      void sleep(ms).then(() => {
        lost -= 1
        if (lost === 0) take(noticeBack)
      })
    }

    function receive(name: string, text: string): void {
      if (lost > 0) return void lostNames.add(name)
      const times = repeated > 0 ? 2 : 1
      repeated = Math.max(0, repeated - 1)
      for (let time = 0; time < times; time++) takeMessage(name, text)
    }

    const bus = createBus({
      open: async () => void connections.add(receive),
      shut: () => {},
      send: async (name, text) => {
        await arrival()
        for (const each of connections) each(name, text)
      },
    })

    /** The same with an answer that a frozen process does not read, and a dead one never. */
    const reached =
      <Args extends unknown[], T>(ask: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        await arrival()
        const answer = await ask(...args)
        await arrival()
        return answer
      }
    const { locks } = createLeaseLocks({
      store: { take: reached(store.take), renew: reached(store.renew), release: reached(store.release) },
      ...{ bus, environment, leaseMs: LEASE_MS },
    })

    return {
      locks,
      channel: createChannels(bus, environment.randomId),
      onPageShow: (listener) => {
        onBack.add(listener)
        return () => void onBack.delete(listener)
      },
      lose,
      giveUp: () => {
        givenUp += 1
        lose(CONNECT_MS)
      },
      delay: (ms) => {
        const until = sleep(ms)
        arrived = arrived.then(() => until)
      },
      repeat: (count) => {
        repeated = count
      },
    }
  }

  return { connect, lost: lostNames }
}
