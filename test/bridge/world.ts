import type { TaskStorage } from 'taskwire'
import type { TaskBridgeOptions } from 'taskwire/bridge/server'
import { defineTool } from 'taskwire/server'
import { createTestServer, type SimulatedPage } from 'taskwire/testing'
import { z } from 'zod'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { seededRandom } from '../seeded/seededRandom.js'
import { type BridgedBackend, createBridgedBackend } from '../support/bridgedBackend.js'

/**
 * What is drawn of a schedule before its steps: `refusing`, a backend that lets pages do some things and not others; `switching`, pages whose
 * session becomes that of another user; `shared`, a backend of several processes.
 */
export type WorldKind = 'plain' | 'refusing' | 'switching' | 'shared'

export type RefusedAction = 'cancel' | 'forget'

/** Pages may not start a call that takes so many seconds, in worlds that refuse something. */
export const REFUSED_SECONDS = 5

/** So many seconds no schedule takes. */
export const LONG = 1000

export type World = ReturnType<typeof createWorld>

export function createWorld(seed: number) {
  /** How often the tool has run, by user and key. */
  const runs = new Map<string, number>()
  const server = createTestServer({
    tools: [workTool(runs)],
    onError: () => {},
    browser: { turns: 60, random: seededRandom(seed + 7) },
  })
  const drawn = seededRandom(seed + 11)
  const kind = kindOf(drawn())
  const users = kind === 'switching' || drawn() < 0.3 ? ['ada', 'eve'] : ['ada']
  // Every second schedule is of pages whose carrier is a WebSocket.
  const hasSockets = seed % 2 === 0
  const poll = drawn() < 0.3 ? { maxConcurrent: 1 } : {}
  const isSlow = drawn() < 0.3
  const storage = isSlow
    ? slowStorage(server.browser.openPage().environment, seededRandom(seed + 17))
    : replaceable(memoryStorage())
  const hasClocks = drawn() < 0.3
  /** How far the clock of a page or of a process is ahead, in ms: those of processes agree within a second. */
  const aheadUpTo = (ms: number) => (hasClocks ? Math.round((drawn() * 2 - 1) * ms) : 0)
  const refused = new Set<RefusedAction>()
  if (kind === 'refusing') for (const type of ['cancel', 'forget'] as const) if (drawn() < 0.5) refused.add(type)
  /** Whose the session of all pages is, in worlds where that changes. */
  const session = { user: 'ada' }
  const options: Partial<TaskBridgeOptions> = {
    allow: ({ type, arguments: args }) =>
      kind !== 'refusing' ||
      (!refused.has(type as RefusedAction) && !(type === 'start' && args?.['seconds'] === REFUSED_SECONDS)),
    ...(kind === 'switching' && { clientOf: () => backend.clientOf(session.user) }),
  }
  const route = seededRandom(seed + 23)
  const backend: BridgedBackend = createBridgedBackend(
    ...([server, options, { poll, storage }, hasSockets, () => aheadUpTo(500)] as const),
    { processes: kind === 'shared' ? 2 + Math.floor(drawn() * 2) : 1, pick: (count) => Math.floor(route() * count) },
  )
  return {
    kind,
    isSlow,
    refused,
    hasClocks,
    session,
    server,
    backend,
    runs,
    random: seededRandom(seed),
    users,
    aheadUpTo,
  }
}

function kindOf(drawn: number): WorldKind {
  if (drawn < 0.15) return 'refusing'
  if (drawn < 0.3) return 'switching'
  return drawn < 0.65 ? 'shared' : 'plain'
}

function workTool(runs: Map<string, number>) {
  return defineTool({
    name: 'work',
    taskSupport: 'optional',
    inputSchema: z.object({ id: z.string(), seconds: z.number(), asks: z.boolean() }),
    handler: async ({ id, seconds, asks }, ctx) => {
      runs.set(id, (runs.get(id) ?? 0) + 1)
      for (let step = 1; step <= seconds; step++) {
        await ctx.sleep(1000)
        await ctx.progress(`step ${step}`)
      }
      if (asks) await ctx.elicit({ message: 'Which size?', requestedSchema: z.object({ size: z.string() }) })
      return { content: [{ type: 'text', text: id }] }
    },
  })
}

/** A storage that several processes may share. */
export function replaceable({ getItem, setItem, removeItem, keys }: ReturnType<typeof memoryStorage>) {
  return {
    ...{ getItem, setItem, removeItem, keys },
    replaceItem: (key: string, before: string | undefined, after: string | undefined) => {
      const known = getItem(key)
      if (known !== after && known !== before) return false
      if (after === undefined) removeItem(key)
      else setItem(key, after)
      return true
    },
  }
}

/** The same that takes up to two seconds, and does what it was asked for although the process is gone by then. */
function slowStorage({ setTimeout }: SimulatedPage['environment'], random: () => number): TaskStorage {
  const { getItem, setItem, removeItem, keys, replaceItem } = replaceable(memoryStorage())
  const later =
    <Args extends unknown[], T>(act: (...args: Args) => T | Promise<T>) =>
    async (...args: Args): Promise<T> => {
      await new Promise<void>((resolve) => setTimeout(resolve, random() * 2000))
      return act(...args)
    }
  return {
    getItem: later(getItem),
    setItem: later(setItem),
    removeItem: later(removeItem),
    keys: later(keys),
    replaceItem: later(replaceItem),
  }
}
