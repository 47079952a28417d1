import type { TaskStorage } from 'taskwire'
import { createClientPool } from 'taskwire/backend'
import { settle, takeOverTime } from './support/clock.js'
import { heap } from './support/cpu.js'
import { createMemoryServer } from './support/memoryServer.js'
import { figure, type Row } from './support/report.js'
import type { Group } from './support/runner.js'

/** What the users of a pool do. */
const USERS = {
  /** Have asked for their calls, of which there are none. */
  looking: { title: 'idle, not connected', goal: 10 },
  /** Have listed the tools of the server. */
  connected: { title: 'idle, connected', goal: 10 },
  /** Have a task that runs. */
  working: { title: 'with a task at work', goal: 25 },
} as const

const LIMIT =
  'Of a connected client 6.7 kB are the SDK client with its transport and the tools that it has listed, 9.5 the client before it is used, and 10 the connection over the SDK: retries, sign-in, tasks over its transport. What follows calls is 13 kB more, the record and the call included. Tried: connection and what follows calls are made when they are first used; one environment of the process for all; no getters in objects that each client has, since V8 gives each of them a shape of its own; maps and listeners made with the first entry. Not tried: classes in place of closures in the connection, which ship more bytes to pages (220 in the store alone).'

/** Bytes of heap a user, once the first users have loaded what all of them share. */
export async function sampleUsers(input: { users: number; state: keyof typeof USERS }) {
  takeOverTime()
  const server = createMemoryServer()
  const items = new Map<string, string>()
  const storage: TaskStorage = {
    getItem: (key) => items.get(key),
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    keys: () => [],
  }
  const pool = createClientPool({
    create: () => ({ url: 'https://bench.example/mcp', storage, push: false, environment: { fetch: server.fetch } }),
  })

  async function add(first: number, count: number): Promise<void> {
    for (let user = first; user < first + count; user++) {
      const client = pool.get(`user-${user}`)
      if (input.state === 'connected') await client.listTools()
      if (input.state === 'working') client.startToolCall({ name: 'idle' }, { key: 'report' })
      if (user % 50 === 0) await settle()
    }
    for (let turn = 0; turn < 50; turn++) await settle()
  }

  await add(0, 100)
  const before = heap()
  await add(100, input.users)
  const bytes = (heap() - before) / input.users
  const calls = input.state === 'working' ? input.users + 100 : 0
  if (server.calls() !== calls || pool.size !== input.users + 100) throw new Error('The users have not done it.')
  return { bytes }
}

export const pool: Group = async ({ isQuick, medians }) => {
  const states = Object.keys(USERS) as (keyof typeof USERS)[]
  const users = isQuick ? 500 : 10_000
  const inputs = states.map((state) => ({ state, users }))
  const rows = medians('users', inputs, isQuick ? 1 : 3).map((sample, index): Row => {
    const { title, goal } = USERS[states[index] ?? 'looking']
    const kilobytes = (sample?.bytes ?? Number.NaN) / 1000
    return {
      cells: [title, figure(kilobytes)],
      goal: { text: `at most ${goal} kB`, isMet: kilobytes <= goal, limit: LIMIT },
    }
  })
  return [
    {
      title: 'Heap a user of a pool of clients, kB',
      note: `After a collection of garbage, with ${users} users in one process and without push. Records are kept in memory, and count.`,
      columns: ['', 'kB'],
      rows,
    },
  ]
}
