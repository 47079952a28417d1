import type { TaskFailedError, ToolCallState } from 'taskwire'
import { leftoversOf } from '../seeded/leftovers.js'
import type { Truth } from './chaosServer.js'
import { wake } from './commands.js'
import { endedCalls, isAwake, isSettled, openInputRequests, type Tab } from './tab.js'
import { look, type RecordedTask, type World } from './world.js'

/** Time that everything has to come to its end in, once nothing is wrong any more. */
const HEALING_MS = 30 * 60_000
const STEP_MS = 10_000
/** A client that was told to wait for a year believes a day; then steps are longer. */
const PATIENT_DAY_MS = 25 * 60 * 60_000
const PATIENT_STEP_MS = 10 * 60_000

/**
 * Ends all trouble, lets time pass and looks whether everything has come to its end as it should. Returns how long that
 * took, in ms.
 */
export async function judge(world: World): Promise<number> {
  await heal(world)
  const settledMs = await untilSettled(world)
  for (const tab of world.tabs) if (isAwake(tab)) checkCalls(world, tab)
  // Half of the time the last tab is the only one.
  if (world.options.seed % 2 === 0 || world.options.tabs === 'alone') await closeTabs(world)
  await checkRecorded(world)
  checkForgotten(world)
  await checkLeftovers(world)
  world.count('tasks created', world.server.tasks.size)
  world.count('tasks recorded and not given up by the app', world.recorded.size)
  return settledMs
}

async function heal(world: World): Promise<void> {
  world.log('# heal')
  world.storage.setTrouble(undefined)
  world.network.heal()
  world.messages.heal()
  for (const tab of world.tabs) {
    if (!tab.isAlive) continue
    world.stirred(tab)
    tab.isOnline = true
    tab.isVisible = true
    if (tab.isFrozen || tab.isCached) await wake(tab, world.browser.now())
    await tab.page.setOnline(true)
    await tab.page.setVisible(true)
  }
}

function unsettled(world: World): string[] {
  const calls = world.tabs.filter(isAwake).flatMap((tab) =>
    Object.values(tab.client.store.getState().calls)
      .filter((call) => !isSettled(call))
      .map((call) => `${tab.name}: ${describeCall(call)}`),
  )
  const tasks = [...world.server.tasks.values()].filter(
    (task) => world.server.truth(task) === undefined && !world.server.isAsking(task) && !world.server.isExpired(task),
  )
  const waiting = world.tabs
    .filter(isAwake)
    .flatMap((tab) => world.waitingIn(tab).map((name) => `${tab.name}: ${name} has no outcome`))
  return [...calls, ...waiting, ...tasks.map(({ taskId }) => `server: ${taskId} is at work`)]
}

async function untilSettled(world: World): Promise<number> {
  // A response that asks for a year may arrive only now.
  const longest = () => Math.max(HEALING_MS, world.patienceDays() * PATIENT_DAY_MS)
  let waited = 0
  while (waited < longest()) {
    if (unsettled(world).length === 0) return waited
    respondToInputRequests(world)
    for (const tab of world.tabs.filter(isAwake)) for (const callId of endedCalls(tab)) look(world, tab, callId)
    const step = waited < HEALING_MS ? STEP_MS : PATIENT_STEP_MS
    // A day of polls by the second says nothing more.
    if (step === PATIENT_STEP_MS) world.server.slowDown(PATIENT_STEP_MS)
    await world.browser.advance(step)
    waited += step
  }
  for (const text of unsettled(world)) world.breach('never settled', text)
  return waited
}

function respondToInputRequests(world: World): void {
  for (const tab of world.tabs.filter(isAwake)) {
    for (const [callId, inputKey] of openInputRequests(tab)) world.answer(tab, callId, inputKey, 'at last')
  }
}

/** What a tab shows must be the truth, or an error that is one. */
function checkCalls(world: World, tab: Tab): void {
  for (const call of Object.values(tab.client.store.getState().calls)) {
    const { task, error } = call
    if (error?.name === 'ToolCallInterruptedError') {
      world.count(
        world.isIdempotent ? 'the same, where the server takes keys' : 'responses to tools/call lost, and reported so',
      )
      // A server that answers all but this call, again and again, is asked no longer.
      const isGivenUp = error.message.includes('no answer could be read')
      // Whoever does not know the arguments cannot.
      if (world.isIdempotent && call.arguments !== undefined && !isGivenUp) {
        world.breach('outcome unknown to the page that can ask again', `${tab.name} shows ${describeCall(call)}`)
      }
    }
    checkOwner(world, tab, call)
    const known = task && world.isSameTask(task) ? world.server.tasks.get(task.taskId) : undefined
    // Three answers in a row that break the protocol end a call; its record stays.
    if (known === undefined || error?.name === 'TaskProtocolError' || world.isPastTtl(known)) continue
    const truth = world.server.truth(known)
    if (truth && !agrees(call, truth)) {
      world.breach('task lost', `${tab.name} shows ${describeCall(call)}, but it is ${JSON.stringify(truth)}`)
    }
  }
}

/** The text of a result names the start that it is the result of. */
function checkOwner(world: World, tab: Tab, call: ToolCallState): void {
  const [content] = call.result?.content ?? []
  const start = content?.type === 'text' ? world.ledger.start(content.text) : undefined
  if (start !== undefined && start.callId !== call.callId && !world.isFollower(call.callId))
    world.breach('outcome of another call shown', `${tab.name} shows ${describeCall(call)}`)
}

async function closeTabs(world: World): Promise<void> {
  for (const tab of world.tabs) {
    if (!isAwake(tab)) continue
    await tab.page.hidePage()
    tab.isAlive = false
    await tab.page.crash()
  }
}

/** Every task that a record led to must end as it did on the server, in a tab that is opened now. */
async function checkRecorded(world: World): Promise<void> {
  const tab = world.openTab()
  world.log(`# ${tab.name} looks for what is recorded`)
  await Promise.all([tab.client.connect(), world.browser.advance(STEP_MS)])
  const resumed = tab.client.resumeToolCalls()
  await world.browser.advance(1000)
  await resumed
  const records = new Map(world.storage.records().map((record) => [record.callId, record]))
  const plan = { answer: 'task', seconds: 1, outcome: 'success', obeysCancel: true, questions: [] } as const
  for (const { tool, key } of world.recorded.values()) {
    if (key === undefined) continue
    const name = tool as 'work' | 'look'
    world.start(tab, { name, key, repeat: 'never', plan: { ...plan, intervalsMs: [1000, 1000], ttlMs: null } })
  }
  await untilSettled(world)
  for (const recorded of world.recorded.values()) {
    const task = world.server.tasks.get(recorded.taskId)
    const truth = task && world.server.truth(task)
    if (task === undefined || world.isPastTtl(task)) continue
    const call = tab.client.store.getState().calls[recorded.callId]
    const record = records.get(recorded.callId)
    if (truth === undefined) {
      lost(world, recorded, call, truth)
      continue
    }
    const isShown = call?.task?.taskId === recorded.taskId && agrees(call, truth)
    // A call without a key whose end a tab has seen is not taken up any more.
    const isRecorded = record?.task?.task.taskId === recorded.taskId && record.task.task.status === truth.status
    if (!isShown && !(recorded.key === undefined && isRecorded)) lost(world, recorded, call, truth)
  }
}

function lost(
  world: World,
  { taskId, key, callId }: RecordedTask,
  call: ToolCallState | undefined,
  truth: Truth | undefined,
): void {
  const shown = call ? describeCall(call) : 'nothing'
  world.breach(
    'task lost',
    `${taskId} (${key ?? callId}) is ${JSON.stringify(truth) ?? 'at work'}; a new tab shows ${shown}`,
  )
}

function agrees(call: ToolCallState, truth: Truth): boolean {
  switch (truth.status) {
    case 'completed': {
      const [content] = call.result?.content ?? []
      const isError = call.result?.isError === true
      return (
        call.phase === 'completed' &&
        content?.type === 'text' &&
        content.text === truth.text &&
        isError === truth.isError
      )
    }
    case 'failed':
      return call.phase === 'failed' && isTaskFailed(call.error) && call.error.code === truth.code
    case 'cancelled':
      return call.phase === 'cancelled'
  }
}

/** By its name: an earlier version of the client has classes of its own. */
function isTaskFailed(error: Error | undefined): error is TaskFailedError {
  return error?.name === 'TaskFailedError'
}

function checkForgotten(world: World): void {
  for (const { callId } of world.storage.records()) {
    if (world.isForgotten(callId)) world.breach('forgotten record kept', callId)
  }
}

/** When every client is closed, nothing must be left of any. */
async function checkLeftovers(world: World): Promise<void> {
  world.log('# close')
  const closing = world.tabs.filter(isAwake).map((tab) => {
    const closed = tab.client.close()
    tab.isClosed = true
    return closed
  })
  await Promise.all([...closing, world.browser.advance(1000)])
  const pending = world.network.pending()
  for (const tab of world.tabs) {
    const { name, page, isAlive } = tab
    if (!isAlive) continue
    const left = leftoversOf(page, pending.filter((sender) => sender === tab).length)
    if (Object.keys(left).length > 0) world.breach('left running after close()', `${name}: ${JSON.stringify(left)}`)
  }
}

function describeCall({ callId, phase, network, task, error, result }: ToolCallState): string {
  const outcome = error ? `${error.name}: ${error.message}` : result ? JSON.stringify(result.content) : ''
  return `${callId.slice(0, 6)} ${phase} ${network} ${task?.taskId ?? 'no task'} ${outcome}`
}
