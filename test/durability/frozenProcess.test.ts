import type { Environment, TaskClient, TaskStorage } from 'taskwire'
import { createSimulatedBrowser } from 'taskwire/testing'
import { expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { completed, created, createScriptedServer } from '../support/scriptedServer.js'

type Locks = NonNullable<Environment['locks']>

/** Locks of processes: one that is frozen keeps its lock until the lease ends, and does not learn that it did. */
function createLeases() {
  const holders = new Map<string, { isHeld: boolean }>()
  const waiting: { name: string; grant: () => void }[] = []

  function next(name: string): void {
    const index = waiting.findIndex((each) => each.name === name)
    if (!holders.has(name) && index >= 0) waiting.splice(index, 1)[0]?.grant()
  }

  const locks: Locks = {
    request: async (name, _options, hold) => {
      await new Promise<void>((grant) => {
        waiting.push({ name, grant })
        next(name)
      })
      const lease = { isHeld: true }
      holders.set(name, lease)
      try {
        return await hold({ isHeld: () => lease.isHeld })
      } finally {
        if (holders.get(name) === lease) holders.delete(name)
        next(name)
      }
    },
  }
  return {
    locks,
    /** The leases of all locks of calls end, and whoever waits has them. */
    end: () => {
      for (const [name, lease] of [...holders]) {
        if (!name.includes(':call:')) continue
        lease.isHeld = false
        holders.delete(name)
        next(name)
      }
    },
  }
}

const DONE = [{ type: 'text', text: 'done' }]

it.each([
  // The other process has made the call, and both show its result.
  ['before it has noted the call', 'getItem', 1, [DONE, DONE]],
  // The other process finds the note of a call that nobody has sent, which nobody can know.
  ['while it notes the call', 'setItem', 0, ['ToolCallInterruptedError', 'ToolCallInterruptedError']],
] as const)(
  'a process that was frozen %s sends nothing once another process has its lock',
  async (_when, frozenIn, calls, shown) => {
    const browser = createSimulatedBrowser()
    const server = createScriptedServer({ now: browser.now })
    server.on('tools/call', created())
    server.on('tasks/get', completed())
    const { locks, end } = createLeases()
    const items = new Map<string, string>()
    let thaw = () => {}
    let isFrozen = true

    function openProcess(pause: (method: 'getItem' | 'setItem') => Promise<void>): TaskClient {
      const storage: TaskStorage = {
        getItem: async (key) => {
          const item = items.get(key)
          await pause('getItem')
          return item
        },
        setItem: async (key, text) => {
          // What was sent before the process was frozen has arrived.
          items.set(key, text)
          await pause('setItem')
        },
        removeItem: async (key) => void items.delete(key),
        keys: async (prefix) => [...items.keys()].filter((key) => key.startsWith(prefix ?? '')),
      }
      const { environment } = browser.openPage()
      const { channel = () => expect.unreachable() } = environment
      return createTaskClient({
        url: 'https://tasks.example/mcp',
        storage,
        transportOptions: { fetch: server.fetch },
        // What is said while it is frozen does not arrive.
        environment: { ...environment, locks, channel: (name) => ({ ...channel(name), onMessage: () => () => {} }) },
        push: false,
      } as Parameters<typeof createTaskClient>[0])
    }

    const frozen = openProcess((method) =>
      method === frozenIn && isFrozen
        ? new Promise<void>((resolve) => {
            thaw = resolve
          })
        : Promise.resolve(),
    )
    const other = openProcess(() => Promise.resolve())
    const outcomes: unknown[] = []
    const start = (client: TaskClient) =>
      client.callTool({ name: 'report' }, { key: 'Q3' }).then(
        (result) => outcomes.push(result.content),
        (error: Error) => outcomes.push(error.name),
      )
    void start(frozen)
    await browser.advance(1000)
    void start(other)
    await browser.advance(1000)
    expect(server.received('tools/call')).toHaveLength(0)
    end()
    await browser.advance(500)
    isFrozen = false
    thaw()
    await browser.advance(20_000)
    expect(server.received('tools/call')).toHaveLength(calls)
    expect(outcomes).toEqual(shown)
  },
)
