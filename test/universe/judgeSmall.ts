import type { ToolCallState } from 'taskwire'
import { isAtWork, textOf } from './smallServer.js'
import { callOf, callsOf, isSettled, KEYS, RESPONSE, type SmallTab, type SmallWorld } from './smallWorld.js'

/** Time in which everything must have come to its end after the last fault, in ms. */
const REST_MS = 10 * 60_000
/** In so many ms it should: a tab that is gone is missed, and a poll that was lost is sent again. */
const PROMPT_MS = 60_000
const MAX_STEPS = 2000

/** Steps that only time and the browser take, in the order in which a quick machine takes them. */
const ORDER = [/^thaw/, /^lock/, /^deliver/, /arrives$/, /^answer/, /^(the task|task-)/, /^respond/, /^time/]

/** Lets everything come to rest, and looks whether it is as it should be. */
export async function judgeSmall(world: SmallWorld): Promise<void> {
  world.endBounds()
  const { tabs } = world
  // Who follows the task must not need a tab that is frozen, which may be so for ever. Who waits for its `tools/call` must.
  const following = tabs.filter((tab) => isUsed(tab) && !tab.isFrozen && callsOf(tab.client).every(({ task }) => task))
  if (following.length > 0 && tabs.some(({ isFrozen }) => isFrozen)) await rest(world, following, ORDER.slice(1))
  await rest(world, tabs.filter(isUsed))
  const before = tabs.filter(isUsed)
  for (const tab of before) check(world, tab)
  agree(world, before)
  if (before.length > 0 || world.server.tasks.size > 0) {
    const newcomer = world.openTab()
    await world.settle()
    world.start(newcomer)
    await world.settle()
    await rest(world, [...before, newcomer])
    check(world, newcomer)
    agree(world, [...before, newcomer])
  }
  await close(world)
}

function isUsed({ isAlive, hasStarted }: SmallTab): boolean {
  return isAlive && hasStarted
}

/** Takes the steps of these kinds until these tabs have come to their end, and all that is under way with them. */
async function rest(world: SmallWorld, tabs: readonly SmallTab[], kinds: readonly RegExp[] = ORDER): Promise<void> {
  const startedAt = world.elapsed()
  const { tasks } = world.server
  const isAtRest = () => tabs.every((tab) => isDone(world, tab)) && ![...tasks.values()].some(isAtWork)
  for (let count = 0; count < MAX_STEPS && world.elapsed() - startedAt < REST_MS; count++) {
    const steps = world.steps()
    const [next] = kinds.flatMap((kind) => steps.find((step) => kind.test(step)) ?? [])
    if (next === undefined || (next.startsWith('time') && isAtRest())) break
    await world.take(next)
  }
  const ms = world.elapsed() - startedAt
  for (const tab of tabs) {
    if (!isDone(world, tab)) world.breach(`${tab.name} never settled: ${describe(tab)}`)
    else if (ms > PROMPT_MS) world.breach(`${tab.name} settled after ${ms} ms: ${describe(tab)}`)
  }
}

/** Its calls have ended, and so has all that the app waits for. */
function isDone({ callCount }: SmallWorld, { client, waiting }: SmallTab): boolean {
  const calls = callsOf(client)
  return calls.length === callCount && calls.every(isSettled) && waiting === 0
}

/** What a tab shows is the truth, or says that it cannot know it. */
function check(world: SmallWorld, tab: SmallTab): void {
  for (const call of callsOf(tab.client)) {
    checkCall(world, tab, call)
    checkEnd(world, tab, call)
  }
  for (const { answer, taskId } of world.server.tasks.values())
    if (answer !== undefined && JSON.stringify(answer) !== JSON.stringify(RESPONSE))
      world.breach(`${taskId} was answered ${JSON.stringify(answer)}`)
}

/** Of a call that has ended nothing is under way, and its promise says the same. */
function checkEnd(world: SmallWorld, tab: SmallTab, call: ToolCallState): void {
  const { phase, network, isCancelling, inputRequests, key = '', error, result } = call
  const left = { isCancelling, inputs: Object.keys(inputRequests).length > 0 }
  if (network !== 'ok' || Object.values(left).some(Boolean))
    world.breach(`${tab.name} shows of a call that is over: ${network} ${JSON.stringify(left)}`)
  const outcome = tab.outcomes.get(key)
  const isSame = phase === 'completed' ? outcome === result : outcome instanceof Error && outcome === error
  if (!isSame)
    world.breach(`${tab.name} shows ${describe(tab)}, and its promise ${String(outcome ?? 'has not settled')}`)
}

function checkCall(world: SmallWorld, tab: SmallTab, call: ToolCallState): void {
  const isInterrupted = call.error?.name === 'ToolCallInterruptedError'
  if (isGivenUp(world, tab) || (isInterrupted && world.isUncertain())) return
  const nr = KEYS.findIndex((one) => one === call.key)
  const task = [...world.server.tasks.values()].find((one) => one.call === nr)
  const [content] = call.result?.content ?? []
  const isTrue =
    task?.status === call.phase &&
    (call.phase !== 'completed' || (content?.type === 'text' && content.text === textOf(nr)))
  if (!isTrue) world.breach(`${tab.name} shows ${describe(tab)}, but the task is ${task?.status ?? 'not there'}`)
}

/**
 * Cancelled before a task was known, which leaves open what became of the call: its page has given its own request up, or
 * nobody could tell any longer what became of that of another page.
 */
function isGivenUp(world: SmallWorld, tab: SmallTab): boolean {
  const { phase, task } = callOf(tab.client) ?? {}
  if (phase !== 'cancelled' || task !== undefined || world.tabs.every((one) => one.cancelled === undefined))
    return false
  const { hasCalled, cancelled = 'nothing' } = tab
  return hasCalled || cancelled === 'nothing' || (cancelled === 'call' && world.isUncertain())
}

/** Tabs at rest show the same. */
function agree(world: SmallWorld, tabs: readonly SmallTab[]): void {
  const shown = tabs.filter((tab) => !isGivenUp(world, tab)).flatMap(({ client }) => callsOf(client))
  for (const key of KEYS) {
    const ofKey = shown.filter((call) => call.key === key)
    const known = new Set(ofKey.map(({ phase, error }) => `${phase} ${error?.name ?? ''}`))
    if (known.size > 1)
      world.breach(`tabs differ at rest: ${tabs.map((tab) => `${tab.name} ${describe(tab)}`).join('; ')}`)
  }
}

/** Of closed clients nothing is left. */
async function close(world: SmallWorld): Promise<void> {
  const open = world.tabs.filter((tab) => tab.isAlive)
  const closing = open.map((tab) => tab.client.close())
  await world.settle()
  for (let count = 0; count < 50; count++) {
    const next = world.steps().find((step) => /^(lock|deliver|time)/.test(step))
    if (next === undefined) break
    await world.take(next)
  }
  await Promise.all(closing)
  for (const tab of open) {
    const left = { ...tab.leftovers(), requests: world.pending(tab) }
    const names = Object.entries(left).filter(([, count]) => count > 0)
    if (names.length > 0) world.breach(`${tab.name} has left ${JSON.stringify(Object.fromEntries(names))}`)
  }
}

function describe({ client }: SmallTab): string {
  const calls = callsOf(client)
  if (calls.length === 0) return 'no call'
  return calls
    .map(({ phase, network, task, error }) =>
      `${phase} ${network} ${task?.taskId ?? 'without a task'} ${error?.name ?? ''}`.trim(),
    )
    .join(', ')
}
