import type { ToolCallState } from 'taskwire'
import { isAtWork, textOf } from './smallServer.js'
import { callOf, callsOf, isSettled, KEYS, type SmallTab, type SmallWorld } from './smallWorld.js'

/** Time in which everything must have come to its end after the last fault, in ms. */
const REST_MS = 10 * 60_000
const MAX_STEPS = 2000

/** Steps that only time and the browser take, in the order in which a quick machine takes them. */
const ORDER = [/^thaw/, /^lock/, /^deliver/, /arrives$/, /^answer/, /^(the task|task-)/, /^respond/, /^time/]

/** Lets everything come to rest, and looks whether it is as it should be. */
export async function judgeSmall(world: SmallWorld): Promise<void> {
  world.endBounds()
  await rest(world)
  const before = world.tabs.filter((tab) => tab.isAlive && tab.hasStarted)
  for (const tab of before) check(world, tab)
  agree(world, before)
  if (before.length > 0 || world.server.tasks.size > 0) {
    const newcomer = world.openTab()
    await world.settle()
    world.start(newcomer)
    await world.settle()
    await rest(world)
    check(world, newcomer)
    agree(world, [...before, newcomer])
  }
  await close(world)
}

async function rest(world: SmallWorld): Promise<void> {
  const startedAt = world.elapsed()
  for (let count = 0; count < MAX_STEPS && world.elapsed() - startedAt < REST_MS; count++) {
    const steps = world.steps()
    const next = ORDER.flatMap((kind) => steps.find((step) => kind.test(step)) ?? [])[0]
    const isOver = isAtRest(world) && steps.every((step) => step.startsWith('time') || step.startsWith('start'))
    if (next === undefined || isOver) break
    await world.take(next)
  }
  for (const tab of world.tabs) {
    if (tab.isAlive && tab.hasStarted && !isDone(world, tab))
      world.breach(`${tab.name} never settled: ${describe(tab)}`)
  }
}

function isAtRest(world: SmallWorld): boolean {
  const { tabs, server } = world
  return (
    tabs.every((tab) => !tab.isAlive || !tab.hasStarted || isDone(world, tab)) &&
    ![...server.tasks.values()].some(isAtWork)
  )
}

function isDone({ callCount }: SmallWorld, { client }: SmallTab): boolean {
  const calls = callsOf(client)
  return calls.length === callCount && calls.every(isSettled)
}

/** What a tab shows is the truth, or says that it cannot know it. */
function check(world: SmallWorld, tab: SmallTab): void {
  for (const call of callsOf(tab.client)) checkCall(world, tab, call)
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
  if (phase !== 'cancelled' || task !== undefined) return false
  const { hasCalled, cancelled } = tab
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
