import { createHash } from 'node:crypto'
import type { CallToolResult, TaskClient, ToolCallState } from 'taskwire'
import { decodeCallRecord } from '../../src/core/record/codec.js'
import { nextMacrotask } from '../../src/server/base/nextMacrotask.js'
import type { RpcRequest, RpcResponse } from '../chaos/chaosServer.js'
import { createPollFloors } from '../chaos/pollFloors.js'
import { type ClientKind, createClientOf } from '../support/createClientOf.js'
import { createSmallBrowser, type SmallPage } from './smallBrowser.js'
import { createSmallNetwork } from './smallNetwork.js'
import { createSmallServer, INPUT_KEY, isAtWork, type SmallServer } from './smallServer.js'

/** What may happen in a world, and how often. What is left out never happens. */
export interface Bounds {
  readonly kind?: ClientKind
  readonly tabs: 1 | 2 | 3
  /** How many calls each tab makes, all at once. With two, nothing is answered or cancelled. @default 1 */
  readonly calls?: 1 | 2
  /** Begins where both tabs follow the task and the first leads, all messages delivered. */
  readonly isFollowed?: true
  /** How often time may pass to the next timer. */
  readonly time: number
  /** The server asks the user for input. */
  readonly asks?: boolean
  /** How often a tab may answer, cancel, end and so on. */
  readonly respond?: number
  readonly cancel?: number
  readonly crash?: number
  readonly reload?: number
  readonly freeze?: number
  readonly lose?: number
  readonly 'hold back'?: number
  readonly 'drop request'?: number
  readonly 'drop answer'?: number
  readonly 'set the clock back'?: number
  /** Without what tabs say to each other: what the explorer must find out. */
  readonly crossTab?: false
}

export type Limited = Exclude<keyof Bounds, 'kind' | 'isFollowed' | 'tabs' | 'calls' | 'asks' | 'crossTab'>

/** A page with its client. */
export interface SmallTab extends SmallPage {
  readonly client: TaskClient
  /** Whether the app has made its call here. */
  hasStarted: boolean
  /** Whether it has sent the `tools/call` itself. */
  hasCalled: boolean
  /** What there was when its call was cancelled: nothing, a `tools/call` of any tab, or a record that names its task. */
  cancelled: 'nothing' | 'call' | 'task' | undefined
  /** What the promises of its calls came to, by their keys. */
  readonly outcomes: Map<string, CallToolResult | Error>
  /** Promises of `respond()` and `cancel()` that have not settled. */
  waiting: number
  awakeSince: number
}

interface Step {
  readonly name: string
  /** What it uses up. */
  readonly costs?: Limited | undefined
  readonly take: () => void
}

/** A world that does nothing but the steps it is given. */
export interface SmallWorld {
  readonly server: SmallServer
  readonly tabs: readonly SmallTab[]
  /** The names of all that can happen now, in an order that is always the same. */
  steps(): string[]
  /** Takes a step, and waits until nothing moves. */
  take(name: string): Promise<void>
  /** Equal for worlds that nothing can tell apart: neither a page nor the server nor this file. */
  fingerprint(): string
  /** Ends all bounds: time passes for as long as it takes. */
  endBounds(): void
  /** They hold from now on. */
  beginBounds(): void
  openTab(): SmallTab
  start(tab: SmallTab): void
  elapsed(): number
  pending(tab: SmallTab): number
  breach(text: string): void
  readonly breaches: readonly string[]
  /** A `tools/call` was given up, or its answer was: nobody may know what became of it. */
  isUncertain(): boolean
  /** What of the bounds was used. */
  readonly used: ReadonlySet<Limited>
  /** How many calls each tab makes. */
  readonly callCount: number
  /** Stage of a call and the kind of step that came then, each pair once. */
  readonly reached: ReadonlySet<string>
  settle(): Promise<void>
}

/** The keys of the calls, in their order. */
export const KEYS = ['the-key', 'the-other-key'] as const
const CLOCK_SET_BACK_MS = 5000
const TURNS = 2

export function createSmallWorld(bounds: Bounds): SmallWorld {
  const left = new Map<string, number>(Object.entries(bounds).filter(([, value]) => typeof value === 'number'))
  const { calls: callCount = 1 } = bounds
  const tabs: SmallTab[] = []
  const breaches: string[] = []
  const reached = new Set<string>()
  const used = new Set<Limited>()
  let isBounded = false
  /** A message was lost or came late: a page knows for sure what it has heard itself. */
  let isDeaf = false
  /** Whether the record that each page can read names a task. */
  let isTaskRecorded = false

  const browser = createSmallBrowser({
    fetch: (page, init) => network.fetch(page, init),
    onWritten: (_key, value) => {
      const record = decodeCallRecord(value, Number.MAX_SAFE_INTEGER)?.task
      isTaskRecorded = record !== undefined
      if (record !== undefined) floors.stored(record.task.taskId, record.earliestAt, browser.now())
    },
  })
  const server = createSmallServer(() => browser.elapsed() + Date.UTC(2026, 6, 28))
  const network = createSmallNetwork({
    handle: (request) => {
      const response = server.handle(request)
      if (KEYS.some((_, call) => server.executions(call) > 1)) breach('the tool ran twice')
      return response
    },
    onSent: sent,
    onAnswered: answered,
  })
  const isAwake = (tab: SmallTab) => tab.isAlive && !tab.isFrozen
  const awakeSince = (tab: SmallTab) => tab.awakeSince
  const follows = ({ client }: SmallTab, taskId: string) => callsOf(client).some(({ task }) => task?.taskId === taskId)
  /** What tabs know that hear all that others say, and what each has heard itself. */
  const floors = createPollFloors<SmallTab>({ all: () => tabs, isAwake, follows, awakeSince, canHaveRead: () => true })
  const ownFloors = createPollFloors<SmallTab>({
    all: () => [],
    isAwake,
    follows: () => false,
    awakeSince,
    canHaveRead: () => false,
  })

  function breach(text: string): void {
    breaches.push(text)
  }

  function tabOf(page: SmallPage): SmallTab {
    const tab = tabs.find(({ name }) => name === page.name)
    if (tab === undefined) throw new Error(`There is no tab ${page.name}.`)
    return tab
  }

  function sent(page: SmallPage, { method, params }: RpcRequest): void {
    if (method === 'tasks/update' && ++updates > 1 + lost['tasks/update'])
      breach('the input request was answered twice')
    if (method === 'tools/call') tabOf(page).hasCalled = true
    if (method !== 'tasks/get') return
    const isAskedTwice = network
      .pending(page)
      .some((one) => one.method === method && one.params?.['taskId'] === params?.['taskId'])
    if (isAskedTwice) breach(`${page.name} polled while its poll was under way`)
    const early = (isDeaf ? ownFloors : floors).polled(tabOf(page), String(params?.['taskId']), browser.now())
    if (early > 0) breach(`${page.name} polled ${early} ms too early`)
  }

  let updates = 0
  /** Requests that failed, or whose page has given them up or is gone: what came of them, nobody may know. */
  const lost = { 'tools/call': 0, 'tasks/update': 0 }

  function lose(method: string): void {
    if (method in lost) lost[method as keyof typeof lost]++
  }

  function answered(page: SmallPage, { method, params }: RpcRequest, answer: RpcResponse | undefined): void {
    if (answer === undefined) lose(method)
    const created = method === 'tools/call' && answer && 'result' in answer ? answer.result['taskId'] : undefined
    const about = method === 'tasks/get' ? params?.['taskId'] : created
    if (typeof about !== 'string') return
    const delivery = answer === undefined ? { type: 'failure' as const } : { type: 'answer' as const, answer }
    for (const book of [floors, ownFloors]) book.answered(tabOf(page), about, delivery, browser.now())
  }

  function openTab(): SmallTab {
    const page = browser.openPage('ABCDEFGH'[tabs.length] ?? 'Z')
    const { kind = 'full', crossTab } = bounds
    const client = createClientOf(kind, {
      url: 'http://localhost/mcp',
      environment: page.environment,
      push: false,
      ...(crossTab === false && { crossTab }),
    })
    const tab: SmallTab = Object.assign(page, {
      client,
      hasStarted: false,
      hasCalled: false,
      cancelled: undefined,
      outcomes: new Map(),
      waiting: 0,
      awakeSince: browser.now(),
    })
    tabs.push(tab)
    client.connect().catch((error: unknown) => breach(`${tab.name} did not connect: ${error}`))
    return tab
  }

  function start(tab: SmallTab): void {
    tab.hasStarted = true
    tab.enter('start', () => {
      for (const [call, key] of KEYS.slice(0, callCount).entries())
        tab.client.startToolCall({ name: 'work', arguments: { call } }, { key }).result.then(
          (result) => tab.outcomes.set(key, result),
          (error: Error) => tab.outcomes.set(key, error),
        )
    })
  }

  function crash(tab: SmallTab): void {
    for (const { method } of network.pending(tab)) lose(method)
    browser.crash(tab)
  }

  /** `cancel()` has resolved: of a task that is shown as at work, the server was asked. */
  function checkStopped({ name, client, isAlive }: SmallTab): void {
    const call = callOf(client)
    const task = call?.task && server.tasks.get(call.task.taskId)
    if (isAlive && task && isAtWork(task) && !isSettled(call) && !task.isStopAsked)
      breach(`${name} has cancelled ${task.taskId}, and the server was not asked`)
  }

  /** The app waits for what it has asked for. */
  function wait(tab: SmallTab, asked: Promise<unknown> | undefined): Promise<void> | undefined {
    tab.waiting++
    const end = () => void tab.waiting--
    return asked?.then(end, end)
  }

  function tabSteps(tab: SmallTab): Step[] {
    const { name, client } = tab
    if (!tab.isAlive) return []
    if (tab.isFrozen) {
      const thaw = () => {
        tab.isFrozen = false
        tab.awakeSince = browser.now()
      }
      return [{ name: `thaw ${name}`, take: thaw }]
    }
    const index = tabs.indexOf(tab)
    if (!tab.hasStarted) {
      // Tabs that have done nothing yet are alike: the first is the first.
      if (tabs.slice(0, index).some((other) => !other.hasStarted)) return []
      return [{ name: `start in ${name}`, take: () => start(tab) }]
    }
    const call = callOf(client)
    // At the end each responds once: its response may wait for what only time brings.
    const isOpen = call?.inputRequests[INPUT_KEY] !== undefined && (isBounded || tab.waiting === 0)
    const isCancellable = call !== undefined && !isSettled(call) && !call.isCancelling
    const respond = () =>
      tab.enter('respond', () => void wait(tab, client.getToolCall(call?.callId ?? '')?.respond(INPUT_KEY, RESPONSE)))
    const cancel = () => {
      // Before there is a task, it gives its own request up.
      if (call?.task === undefined && tab.hasCalled) lose('tools/call')
      const isCalled = tabs.some(({ hasCalled }) => hasCalled)
      tab.cancelled = !isCalled ? 'nothing' : isTaskRecorded ? 'task' : 'call'
      const cancelling = () =>
        client
          .getToolCall(call?.callId ?? '')
          ?.cancel()
          .then(() => checkStopped(tab))
      tab.enter('cancel', () => void wait(tab, cancelling()))
    }
    const freeze = () => {
      tab.isFrozen = true
    }
    const reload = () => {
      tab.enter('pagehide', tab.hide)
      crash(tab)
      start(openTab())
    }
    return [
      ...(isOpen ? [{ name: `respond in ${name}`, costs: 'respond' as const, take: respond }] : []),
      ...(isCancellable ? [{ name: `cancel in ${name}`, costs: 'cancel' as const, take: cancel }] : []),
      { name: `crash ${name}`, costs: 'crash', take: () => crash(tab) },
      { name: `reload ${name}`, costs: 'reload', take: reload },
      { name: `freeze ${name}`, costs: 'freeze', take: freeze },
    ]
  }

  function serverSteps(): Step[] {
    return [...server.tasks.values()].flatMap((task) => {
      if (task.status !== 'working') return []
      const name = server.tasks.size === 1 ? 'the task' : task.taskId
      const end = { name: `${name} ends`, take: () => server.end(task) }
      const ask = { name: `${name} asks`, take: () => server.ask(task) }
      if (!bounds.asks) return [end]
      return [task.answer === undefined ? ask : end]
    })
  }

  function all(): Step[] {
    const clock: Step = {
      name: 'set the clock back',
      costs: 'set the clock back',
      take: () => {
        browser.setClock(-CLOCK_SET_BACK_MS)
        for (const book of [floors, ownFloors]) book.clockSet(-CLOCK_SET_BACK_MS)
      },
    }
    const limited = new Set<string>(['lose', 'hold back', 'time', 'drop request', 'drop answer'])
    const outside = [...network.steps(), ...browser.steps()].map(
      ({ kind, name, take }): Step => ({
        name,
        costs: limited.has(kind) ? (kind as Limited) : undefined,
        take: () => {
          if (kind === 'lose' || kind === 'hold back') isDeaf = true
          take()
        },
      }),
    )
    const steps = [...outside, ...serverSteps(), ...tabs.flatMap(tabSteps), ...(tabs[0]?.hasStarted ? [clock] : [])]
    return steps.filter(({ costs }) => !isUsedUp(costs))
  }

  function isUsedUp(costs: Limited | undefined): boolean {
    if (costs === undefined) return false
    if (!isBounded) return costs !== 'time' && costs !== 'respond'
    return (left.get(costs) ?? 0) === 0
  }

  function told(): unknown {
    return tabs.map(({ hasCalled, cancelled, waiting }) => [hasCalled, cancelled, waiting])
  }

  async function settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await nextMacrotask()
  }

  for (let tab = 0; tab < bounds.tabs; tab++) openTab()

  return {
    server,
    tabs,
    steps: () => all().map(({ name }) => name),
    take: async (name) => {
      const step = all().find((one) => one.name === name)
      if (step === undefined)
        throw new Error(
          `There is no step "${name}". There are: ${all()
            .map((one) => one.name)
            .join(', ')}`,
        )
      const kind = name.replace(/ [A-Z](\.\d+)?( |$)/, ' …$2').replace(/^task-\d/, 'the task')
      for (const tab of tabs) if (tab.isAlive && tab.hasStarted) reached.add(`${stageOf(tab)} ← ${kind}`)
      if (step.costs !== undefined && isBounded) {
        left.set(step.costs, (left.get(step.costs) ?? 0) - 1)
        used.add(step.costs)
      }
      step.take()
      await settle()
    },
    fingerprint: () =>
      createHash('sha1')
        .update(
          JSON.stringify([
            browser.state(),
            network.state(),
            server.state(),
            [...left],
            updates,
            lost,
            isDeaf,
            isTaskRecorded,
            told(),
          ]),
        )
        .digest('base64'),
    endBounds: () => {
      isBounded = false
    },
    beginBounds: () => {
      isBounded = true
    },
    openTab,
    start,
    elapsed: browser.elapsed,
    pending: (tab) => network.pending(tab).length,
    breach,
    breaches,
    isUncertain: () => lost['tools/call'] > 0,
    used,
    callCount,
    reached,
    settle,
  }
}

export const RESPONSE = { action: 'accept', content: { answer: 'large' } } as const

/** The first call of a page; in worlds of one call, that one. */
export function callOf(client: TaskClient): ToolCallState | undefined {
  return callsOf(client)[0]
}

/** The calls of a page, in the order of their keys. */
export function callsOf(client: TaskClient): ToolCallState[] {
  const calls = Object.values(client.store.getState().calls)
  return KEYS.flatMap((key) => calls.find((call) => call.key === key) ?? [])
}

export function isSettled({ phase }: ToolCallState): boolean {
  return phase === 'completed' || phase === 'failed' || phase === 'cancelled'
}

function stageOf({ client, isFrozen }: SmallTab): string {
  const call = callOf(client)
  if (isFrozen) return 'frozen'
  if (call === undefined) return 'no call'
  return `${call.phase}${call.task === undefined ? '' : ' with a task'}${call.isCancelling ? ', cancelling' : ''}`
}
