import { isAtWork, TEXT } from './smallServer.js'
import { callOf, isSettled, KEY, type SmallTab, type SmallWorld } from './smallWorld.js'

/** Time in which everything must have come to its end after the last fault, in ms. */
const REST_MS = 10 * 60_000
const MAX_STEPS = 2000

/** Steps that only time and the browser take, in the order in which a quick machine takes them. */
const ORDER = [/^thaw/, /^lock/, /^deliver/, /arrives$/, /^answer/, /^the task/, /^respond/, /^time/]

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
    if (tab.isAlive && tab.hasStarted && !isDone(tab)) world.breach(`${tab.name} never settled: ${describe(tab)}`)
  }
}

function isAtRest({ tabs, server }: SmallWorld): boolean {
  return (
    tabs.every((tab) => !tab.isAlive || !tab.hasStarted || isDone(tab)) && ![...server.tasks.values()].some(isAtWork)
  )
}

function isDone({ client }: SmallTab): boolean {
  const call = callOf(client)
  return call !== undefined && isSettled(call)
}

/** What a tab shows is the truth, or says that it cannot know it. */
function check(world: SmallWorld, tab: SmallTab): void {
  const call = callOf(tab.client)
  const isInterrupted = call?.error?.name === 'ToolCallInterruptedError'
  if (call === undefined || isGivenUp(world, tab) || (isInterrupted && world.isUncertain())) return
  const [task] = world.server.tasks.values()
  const [content] = call.result?.content ?? []
  const isTrue =
    task?.status === call.phase && (call.phase !== 'completed' || (content?.type === 'text' && content.text === TEXT))
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
  const shown = tabs.filter((tab) => !isGivenUp(world, tab)).flatMap(({ client }) => callOf(client) ?? [])
  const known = new Set(shown.map(({ phase, error }) => `${phase} ${error?.name ?? ''}`))
  if (known.size > 1)
    world.breach(`tabs differ at rest: ${tabs.map((tab) => `${tab.name} ${describe(tab)}`).join('; ')}`)
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
  const call = callOf(client)
  if (call === undefined) return `no call of ${KEY}`
  return `${call.phase} ${call.network} ${call.task?.taskId ?? 'without a task'} ${call.error?.name ?? ''}`.trim()
}
