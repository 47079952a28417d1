import { leftoversOf } from '../seeded/leftovers.js'
import { simulateMachineTimers } from '../support/machineTimers.js'
import type { Action, ClientCase, StorageFault } from './clientCase.js'
import { type ClientWorld, createClientWorld, isSettled, type Spoil, type Tab, UNKNOWN_TASK } from './clientWorld.js'
import { add, type Counts } from './kinds.js'
import { mutateJson } from './mutateJson.js'
import { mutateText } from './mutateText.js'
import { takePollution } from './prototypes.js'

/** What went wrong in a run, and what happened in it. */
export interface Verdict {
  readonly breaches: readonly string[]
  readonly trace: readonly string[]
}

/** How long the calls are left to themselves while things go wrong. */
const TROUBLE_MS = 20_000

/**
 * Looks at calls that are not over, each when something is due. After so many a call hangs, unless it is polled:
 * a server may say that a task has ended and take it back, or ask again what was answered.
 */
const LOOKS = 30
const LOOK_MS = 10_000
const LONG_MS = 60_000

/** Plays a run of the client to its end: trouble, then none, and everything has to settle. */
export async function playClient(options: ClientCase, counts: Counts, spoil?: Spoil): Promise<Verdict> {
  const world = createClientWorld(options, counts, spoil)
  const { browser } = world
  const giveTimersBack = simulateMachineTimers(world.machine)
  const onRejection = (reason: unknown) => world.breach('unhandled error', textOf(reason))
  process.on('unhandledRejection', onRejection)
  process.on('uncaughtException', onRejection)
  try {
    const first = Array.from({ length: options.tabs }, world.openTab)
    for (const [index, call] of options.calls.entries()) {
      const tab = first[index % first.length]
      if (tab) world.start(tab, call)
    }
    for (const action of options.actions) {
      await act(world, action)
      await browser.advance(action.ms)
    }
    if (options.storageFaults === undefined) await browser.advance(TROUBLE_MS)
    else await revisit(world, options.storageFaults, counts)
    await judge(world, counts)
  } catch (error) {
    // A timer or a listener of a page has thrown.
    world.breach('unhandled error', textOf(error))
  } finally {
    process.off('unhandledRejection', onRejection)
    process.off('uncaughtException', onRejection)
    giveTimersBack()
  }
  for (const what of takePollution()) world.breach('prototype polluted', what)
  return world
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : String(error)
}

const OFFLINE_MS = 3000

async function act(world: ClientWorld, { kind, which }: Action): Promise<void> {
  const open = world.tabs.filter(({ isAlive }) => isAlive)
  const tab = open[which % open.length]
  if (tab === undefined) return
  const call = tab.calls[which % Math.max(1, tab.calls.length)]
  world.log(`# ${kind} in ${tab.name}`)
  switch (kind) {
    case 'wait':
      return
    case 'cancel':
      world.taint()
      if (call) world.attempt('cancel', call.cancel)
      return
    case 'forget':
      world.taint()
      if (call) world.attempt('forget', () => tab.client.forget({ callId: call.callId }))
      return
    case 'respond':
    case 'refuse':
      return answerAll(world, tab, kind === 'respond' ? 'accept' : 'decline')
    case 'manual':
      return manual(world, tab, which)
    case 'hide':
      await tab.page.setVisible(false)
      await world.browser.advance(OFFLINE_MS)
      return tab.page.setVisible(true)
    case 'offline':
      tab.isOnline = false
      await tab.page.setOnline(false)
      await world.browser.advance(OFFLINE_MS)
      tab.isOnline = true
      return tab.page.setOnline(true)
    case 'reload':
      await closePage(tab)
      return restart(world, world.openTab())
  }
}

function manual(world: ClientWorld, { client }: Tab, which: number): void {
  const {
    attempt,
    taint,
    case: { calls },
  } = world
  const [call] = calls
  switch (which % 5) {
    case 0:
      return attempt('getTask', () => client.tasks.get(UNKNOWN_TASK))
    case 1:
      return attempt('cancelTask', () => client.tasks.cancel(UNKNOWN_TASK))
    case 2:
      return attempt('updateTask', () => client.tasks.update(UNKNOWN_TASK, { size: { action: 'decline' } }))
    case 3:
      return attempt('listTools', client.listTools)
    default:
      taint()
      return attempt('callToolRaw', () =>
        client.callToolRaw({
          name: 'work',
          arguments: { ...call?.plan, nonce: `raw-${world.tabs.length}-${world.trace.length}` },
        }),
      )
  }
}

function answerAll({ attempt }: ClientWorld, { client }: Tab, action: 'accept' | 'decline'): void {
  for (const { callId, inputRequests } of Object.values(client.store.getState().calls)) {
    for (const inputKey of Object.keys(inputRequests)) {
      const response = action === 'accept' ? { action, content: { answer: 'x' } } : { action }
      const call = client.getToolCall(callId)
      if (call) attempt('respond', () => call.respond(inputKey, response))
    }
  }
}

async function closePage(tab: Tab): Promise<void> {
  await tab.page.hidePage()
  tab.isAlive = false
  await tab.page.crash()
}

/** A page shows again what has a name. */
function restart(world: ClientWorld, tab: Tab): void {
  for (const call of world.case.calls) if (call.key !== undefined) world.start(tab, call)
}

const FOREIGN = { key: 'app:settings', value: '{"theme":"dark"}' }

/** The pages close, somebody writes to their storage, and a page opens. */
async function revisit(world: ClientWorld, faults: readonly StorageFault[], counts: Counts): Promise<void> {
  const { browser } = world
  for (const tab of world.tabs) if (tab.isAlive) await closePage(tab)
  const { local } = browser.storage
  local.setItem(FOREIGN.key, FOREIGN.value)
  for (const fault of faults) {
    tamper(world, fault)
    add(counts, fault.kind === 'foreign' ? 'foreign storage item' : 'storage record')
  }
  world.taint()
  restart(world, world.openTab())
  await browser.advance(TROUBLE_MS)
  if (local.getItem(FOREIGN.key) !== FOREIGN.value)
    world.breach('foreign item touched', String(local.getItem(FOREIGN.key)))
}

function tamper({ browser: { storage }, log }: ClientWorld, { kind, which, edits }: StorageFault): void {
  const { local } = storage
  const keys = Array.from({ length: local.length }, (_, index) => local.key(index) ?? '').filter(
    (key) => key !== FOREIGN.key,
  )
  const key = keys[which % Math.max(1, keys.length)]
  const text = key === undefined ? null : local.getItem(key)
  if (key === undefined || text === null) return
  let next: string
  if (kind === 'text') next = mutateText(text, edits)
  else {
    try {
      next = JSON.stringify(mutateJson(JSON.parse(text), edits)) ?? ''
    } catch {
      next = mutateText(text, edits)
    }
  }
  const where = kind === 'foreign' ? `${key.slice(0, key.lastIndexOf(':') + 1)}${which}` : key
  log(`  storage: ${where} = ${next}`)
  local.setItem(where, next)
}

async function judge(world: ClientWorld, counts: Counts): Promise<void> {
  const { browser, network } = world
  world.log('# heal')
  network.heal()
  let recently = browser.now()
  for (let looks = 0; ; looks++) {
    if (looks === LOOKS - 2) recently = browser.now()
    const unsettled = world.tabs.flatMap((tab) => unsettledOf(world, tab))
    if (unsettled.length === 0) break
    if (looks === LOOKS) {
      for (const { text, polledAt } of unsettled) if (polledAt < recently) world.breach('never settled', text)
      break
    }
    for (const tab of world.tabs) if (tab.isAlive) answerAll(world, tab, 'accept')
    const next = Math.min(...unsettled.map(({ dueAt }) => dueAt))
    const waitMs = next - browser.now()
    // A server may ask for weeks: the machine sleeps through them, since a page that waits wakes twice a minute.
    if (waitMs > LONG_MS) browser.sleep(waitMs - LOOK_MS)
    await browser.advance(LOOK_MS)
  }
  for (const tab of world.tabs) {
    add(counts, 'calls settled', Object.values(tab.client.store.getState().calls).filter(isSettled).length)
  }
  await close(world)
}

interface Unsettled {
  readonly text: string
  /** When something is to happen, ms since the epoch. */
  readonly dueAt: number
  /** When it was last polled, ms since the epoch. */
  readonly polledAt: number
}

/** What is not over in a page, and when something is to happen to it. */
function unsettledOf({ case: { resume }, browser, polledAt }: ClientWorld, tab: Tab): Unsettled[] {
  if (!tab.isAlive) return []
  // Where only what somebody waits for is followed, the rest may stay as it is.
  const watched = new Set(tab.calls.map(({ callId }) => callId))
  return Object.values(tab.client.store.getState().calls).flatMap((call) => {
    if (isSettled(call) || (resume === 'lazy' && !watched.has(call.callId))) return []
    const { callId, phase, network, task } = call
    const nextPollAt = tab.client.getToolCall(callId)?.nextPollAt ?? browser.now()
    const text = `${tab.name}: ${callId} is ${phase} (${network}), ${task?.status ?? 'no task'}, next poll at ${nextPollAt}`
    return [{ text, dueAt: nextPollAt, polledAt: task === undefined ? 0 : polledAt(task.taskId) }]
  })
}

/** When every client is closed, nothing must be left of any. */
async function close({ tabs, browser, network, attempt, breach }: ClientWorld): Promise<void> {
  for (const tab of tabs.filter(({ isAlive }) => isAlive)) {
    attempt('close', tab.client.close)
    tab.isClosed = true
  }
  await browser.advance(1000)
  for (const tab of tabs.filter(({ isAlive }) => isAlive)) {
    const left = leftoversOf(tab.page, network.pending(tab))
    if (Object.keys(left).length > 0) breach('left running after close()', `${tab.name}: ${JSON.stringify(left)}`)
  }
}
