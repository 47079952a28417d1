import {
  type TaskClient,
  TaskExpiredError,
  type TaskStorage,
  type ToolCall,
  ToolCallInterruptedError,
  type ToolCallState,
} from 'taskwire'
import { defineTool } from 'taskwire/server'
import { createTestServer, type SimulatedPage } from 'taskwire/testing'
import { z } from 'zod'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { seededRandom } from '../seeded/seededRandom.js'
import { createBridgedBackend, type PageNetwork } from '../support/bridgedBackend.js'

interface OpenPage {
  readonly client: TaskClient
  readonly page: SimulatedPage
  readonly network: PageNetwork
  readonly user: string
  isFrozen: boolean
}

interface StartedCall {
  readonly call: ToolCall
  readonly key: string
  /** The user and the key. */
  readonly id: string
  readonly of: OpenPage
  /** True if the page that has started it had not heard of it before. */
  readonly isOwn: boolean
  /** What `result` has come to. */
  outcome: 'resolved' | 'rejected' | undefined
}

function setUp(seed: number) {
  /** How often the tool has run, by user and key. */
  const runs = new Map<string, number>()
  const work = defineTool({
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
  const server = createTestServer({
    tools: [work],
    onError: () => {},
    browser: { turns: 60, random: seededRandom(seed + 7) },
  })
  const drawn = seededRandom(seed + 11)
  const users = drawn() < 0.3 ? ['ada', 'eve'] : ['ada']
  // Every second schedule is of pages whose carrier is a WebSocket.
  const hasSockets = seed % 2 === 0
  const poll = drawn() < 0.3 ? { maxConcurrent: 1 } : {}
  const isSlow = drawn() < 0.3
  const storage = isSlow ? slowStorage(server.browser.openPage().environment, seededRandom(seed + 17)) : memoryStorage()
  const hasClocks = drawn() < 0.3
  /** How far the clock of a page or of a process is ahead, in ms: those of processes agree within a second. */
  const aheadUpTo = (ms: number) => (hasClocks ? Math.round((drawn() * 2 - 1) * ms) : 0)
  const backend = createBridgedBackend(server, {}, { poll, storage }, hasSockets, () => aheadUpTo(SECOND / 2))
  return { server, backend, runs, random: seededRandom(seed), users, aheadUpTo }
}

/** A storage that takes up to two seconds, and does what it was asked for although the process is gone by then. */
function slowStorage({ setTimeout }: SimulatedPage['environment'], random: () => number): TaskStorage {
  const { getItem, setItem, removeItem, keys } = memoryStorage()
  const later =
    <Args extends unknown[], T>(act: (...args: Args) => T | Promise<T>) =>
    async (...args: Args): Promise<T> => {
      await new Promise<void>((resolve) => setTimeout(resolve, random() * 2000))
      return act(...args)
    }
  return { getItem: later(getItem), setItem: later(setItem), removeItem: later(removeItem), keys: later(keys) }
}

const RESPONSE = { action: 'accept', content: { size: 'large' } } as const
const SECOND = 1000
const HOUR = 3600 * SECOND

/**
 * Pages, networks and backends as they fail, at random; then everything is well again, and all has to be told. Returns what
 * is wrong after that.
 */
export async function playSchedule(seed: number, steps: number): Promise<string[]> {
  const { server, backend, runs, random, users, aheadUpTo } = setUp(seed)
  const pages: OpenPage[] = []
  const closed: OpenPage[] = []
  const calls: StartedCall[] = []
  /** Ids of calls that the app has cancelled or forgotten. */
  const cancelled = new Set<string>()
  const forgotten = new Set<string>()
  const upTo = (count: number) => Math.floor(random() * count)
  const pick = <T>(list: readonly T[]): T | undefined => list[upTo(list.length)]
  const awake = () => pages.filter(({ isFrozen }) => !isFrozen)
  const callsOfAwake = () => calls.filter(({ of }) => pages.includes(of) && !of.isFrozen)

  function open(): void {
    const user = pick(users) ?? 'ada'
    const opened = { ...backend.openPage(() => user, { scope: user }, aheadUpTo(HOUR)), user, isFrozen: false }
    opened.client.resumeToolCalls().catch(() => {})
    pages.push(opened)
  }

  function start(of: OpenPage, key: string, how: { readonly seconds: number; readonly asks: boolean }): void {
    const isOwn = !statesOf(of.client).some((call) => call.key === key)
    const id = `${of.user} ${key}`
    const call = of.client.startToolCall({ name: 'work', arguments: { id, ...how } }, { key })
    const started: StartedCall = { call, key, id, of, isOwn, outcome: undefined }
    calls.push(started)
    call.result.then(
      () => (started.outcome = 'resolved'),
      () => (started.outcome = 'rejected'),
    )
  }

  function respond(call: ToolCall | undefined): void {
    for (const inputKey of Object.keys(call?.getState().inputRequests ?? {}))
      call?.respond(inputKey, RESPONSE).catch(() => {})
  }

  const kinds: (() => unknown)[] = [
    () => pages.length < 3 && open(),
    () => {
      const of = pick(awake())
      const key = `call-${calls.length}`
      if (of !== undefined) start(of, key, { seconds: upTo(6), asks: random() < 0.3 })
    },
    () => {
      const [known, of] = [pick(calls.filter(({ id }) => !forgotten.has(id))), pick(awake())]
      const { seconds, asks } = known?.call.getState().arguments ?? {}
      if (known === undefined || of === undefined || seconds === undefined) return
      // The same key of another user is another call.
      start(of, known.key, { seconds: Number(seconds), asks: asks === true })
    },
    () => {
      respond(pick(callsOfAwake())?.call)
    },
    () => {
      const unwanted = pick(callsOfAwake())
      if (unwanted === undefined || random() < 0.5) return
      cancelled.add(unwanted.id)
      unwanted.call.cancel().catch(() => {})
    },
    () => {
      const unwanted = pick(callsOfAwake())
      if (unwanted === undefined || random() < 0.7) return
      forgotten.add(unwanted.id)
      unwanted.of.client.forget({ callId: unwanted.call.callId }).catch(() => {})
    },
    // Two pages answer the same input request in the same instant.
    () => {
      const asked = pick(callsOfAwake())?.call
      if (asked === undefined) return
      for (const { client } of awake()) respond(client.getToolCall(asked.callId))
    },
    // In the middle of a call that begins.
    async () => {
      const of = pick(awake())
      if (of === undefined || pages.length < 2 || random() < 0.5) return
      const key = `call-${calls.length}`
      start(of, key, { seconds: upTo(6), asks: false })
      for (let turn = upTo(12); turn > 0; turn--) await undefined
      pages.splice(pages.indexOf(of), 1)
      closed.push(of)
      await Promise.all([of.client.close(), server.advance(0)])
    },
    async () => {
      const of = pick(awake())
      if (of === undefined || random() < 0.5) return
      const key = `call-${calls.length}`
      start(of, key, { seconds: upTo(6), asks: false })
      const callId = calls.at(-1)?.call.callId ?? ''
      for (let turn = upTo(12); turn > 0; turn--) await undefined
      forgotten.add(`${of.user} ${key}`)
      of.client.forget({ callId }).catch(() => {})
    },
    () => pick(pages)?.network.delayAnswers(1 + upTo(3), upTo(8000)),
    // What is in front of the backend, or of the MCP server, says when to come again.
    () => pick(pages)?.network.refuse(1 + upTo(3), 1 + upTo(5)),
    () => {
      server.faults.status(pick([429, 503]) ?? 503, {
        method: 'tasks/get',
        times: 1 + upTo(3),
        retryAfter: 1 + upTo(5),
      })
    },
    () => pick(pages)?.network.dropStreams(),
    () => pick(pages)?.network.cut(),
    () => pick(pages)?.network.mend(),
    () => pick(pages)?.network.loseAnswers(1 + upTo(2)),
    () => backend.restart(),
    () => {
      const frozen = pick(pages)
      if (frozen === undefined) return
      frozen.page.freeze()
      frozen.isFrozen = true
    },
    async () => {
      const frozen = pick(pages.filter(({ isFrozen }) => isFrozen))
      if (frozen === undefined) return
      frozen.isFrozen = false
      await frozen.page.thaw()
    },
    async () => {
      if (pages.length < 2) return
      const [crashed] = pages.splice(upTo(pages.length), 1)
      await crashed?.page.crash()
    },
  ]

  open()
  for (let at = 0; at < steps; at++) {
    await pick(kinds)?.()
    await server.advance(upTo(1500))
  }
  server.faults.clear()
  for (const each of pages) {
    each.network.mend()
    each.network.loseAnswers(0)
    each.network.delayAnswers(0, 0)
    each.network.refuse(0, 0)
    each.isFrozen = false
    await each.page.thaw()
  }
  await server.advance(100 * SECOND)
  for (const { client } of pages)
    for (const callId of Object.keys(client.store.getState().calls)) respond(client.getToolCall(callId))
  await server.advance(50 * SECOND)

  const problems: string[] = []
  /** True if the page of the call was gone before the backend had stored it, and the process that had it is killed: no one can make it again. */
  const isGone = (id: string, error: Error | undefined) =>
    error instanceof TaskExpiredError && !calls.some((call) => call.id === id && call.isOwn && pages.includes(call.of))
  // After a restart, no one can say of a call that it was forgotten.
  const shown = (client: TaskClient, user: string) =>
    statesOf(client)
      .map((state) => ({ ...state, id: `${user} ${state.key}` }))
      .filter(({ id, error }) => !forgotten.has(id) && !isGone(id, error))
      .map(textOf)
      .sort()
  for (const [at, { client, user }] of pages.entries()) {
    const told = shown(backend.clientOf(user), user)
    const { status } = client.store.getState().connection
    // While nothing runs, the backend does not ask a server that has refused polls whether it is well again.
    const isWaiting = backend.clientOf(user).store.getState().connection.status === 'connecting'
    if (status !== (isWaiting ? 'connecting' : 'connected')) problems.push(`page ${at} is ${status}`)
    const seen = shown(client, user)
    if (seen.join() !== told.join()) problems.push(`page ${at} shows ${seen.join()}; the backend has ${told.join()}`)
  }
  for (const [id, count] of runs)
    if (count > 1 && !forgotten.has(id)) problems.push(`the tool has run ${count} times for ${id}`)
  for (const { of, call, id, isOwn, outcome } of calls) {
    const { phase, error } = call.getState()
    const isLeft = closed.includes(of) || forgotten.has(id)
    const expected = isLeft ? (outcome ?? 'settled') : phase === 'completed' ? 'resolved' : 'rejected'
    if ((pages.includes(of) || closed.includes(of)) && outcome !== expected)
      problems.push(`the handle of ${id} says ${phase}, and its result is ${outcome ?? 'pending'}`)
    // A process that is killed between a `tools/call` and its response cannot know what became of it. The page that has made the call asks again.
    const isUnknown = error instanceof ToolCallInterruptedError && !isOwn
    if (!pages.includes(of) || forgotten.has(id) || isUnknown || isGone(id, error)) continue
    if (phase !== 'completed' && !(phase === 'cancelled' && cancelled.has(id)))
      problems.push(`the handle of ${id} says ${phase}: ${error?.message ?? ''}`)
  }
  return problems
}

const statesOf = (client: TaskClient): ToolCallState[] => Object.values(client.store.getState().calls)

/** A backend that was started again has the outcome when somebody looks. */
function textOf({ key, phase, network, task }: ToolCallState): string {
  return `${key} ${phase === 'ended' ? task?.status : phase} ${network}`
}
