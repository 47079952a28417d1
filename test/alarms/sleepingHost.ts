import type { TaskClientOptions } from 'taskwire'
import { type OptionsWithoutTimers, withoutTimers } from 'taskwire/alarms'
import { createTaskClient } from '../support/anyClient.js'
import { asynchronous } from '../support/asynchronousStorage.js'
import { storageOver } from '../support/storageOver.js'
import { createWorkServer } from '../support/workServer.js'

/** A server, and a machine on which processes come and go. They share a storage. */
export function createSleepingHost({ pollIntervalMs = 1000 }: { pollIntervalMs?: number } = {}) {
  const server = createWorkServer({ pollIntervalMs, browser: { turns: 40 } })
  const { advance, browser } = server
  const items = new Map<string, string>()
  const storage = asynchronous(storageOver(items))
  let machine = browser.openPage()
  const open = (options: Partial<OptionsWithoutTimers<TaskClientOptions>> = {}) => {
    const known = { url: server.url, storage, environment: machine.environment }
    return withoutTimers(createTaskClient, { ...known, ...options } as OptionsWithoutTimers<TaskClientOptions>)
  }
  type Client = ReturnType<typeof open>
  /** Waits for a promise, while no time passes. */
  async function until<T>(promise: Promise<T>): Promise<T> {
    const state = { isPending: true }
    const done = promise.finally(() => {
      state.isPending = false
    })
    done.catch(() => {})
    while (state.isPending) await advance(0)
    return done
  }
  const wakeIn = ({ nextWakeAt }: Client) => (nextWakeAt === undefined ? undefined : nextWakeAt - browser.now())
  return {
    server,
    items,
    storage,
    open,
    until,
    /** In how many ms the client wants to be woken. */
    wakeIn,
    tick: (client: Client) => until(client.tick()),
    setOnline: (isOnline: boolean) => machine.setOnline(isOnline),
    timers: () => machine.timers(),
    listeners: () => machine.listeners(),
    /** Sleeps until the client wants to be woken, and wakes it. */
    async alarm(client: Client): Promise<void> {
      await advance(wakeIn(client) ?? 0)
      await until(client.tick())
    },
    /** Ends the process without notice. The next one is on the same machine. */
    async kill(): Promise<void> {
      await machine.crash()
      machine = browser.openPage()
    },
  }
}
