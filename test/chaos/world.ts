import type { TaskClient, TaskClientUrlOptions, ToolCall, ToolCallOptions } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser } from 'taskwire/testing'
import type { CallRecord } from '../../src/core/record/record.js'
import { seededRandom } from '../seeded/seededRandom.js'
import { type ClientKind, createClientOf } from '../support/createClientOf.js'
import { lateLocks } from '../support/lateLocks.js'
import { type CallLedger, createCallLedger, type Start } from './callLedger.js'
import { createCancelWatch } from './cancelWatch.js'
import {
  type CallPlan,
  type ChaosServer,
  createChaosServer,
  NONCE_META,
  planOf,
  type RpcRequest,
  type ServerTask,
} from './chaosServer.js'
import { watchCoverage } from './coverage.js'
import { createTaskClient as createEarlierClient } from './earlier/client.js'
import { type Breach, FAULTS, type Fault, type Tally, type TallyKey } from './faults.js'
import { createForgettings } from './forgettings.js'
import { createJournal, type Journal, noteShown, noting } from './journal.js'
import { createLockThief, type LockThief } from './lockThief.js'
import { createMessageTroubles, type MessageTroubles } from './messageTroubles.js'
import { type ChaosNetwork, createChaosNetwork } from './network.js'
import { createPollFloors, type PollFloors } from './pollFloors.js'
import { createRecordWatch, type RecordUser, type RecordWatch } from './recordWatch.js'
import type { Delivery } from './replies.js'
import { createRequestPace } from './requestPace.js'
import { createResponseBook } from './responseBook.js'
import { createSuccession } from './succession.js'
import { follows, isAsleep, isAwake, isBeginning, type Tab } from './tab.js'

/** What a run is played with. */
export interface WorldOptions {
  readonly seed: number
  readonly resume: 'eager' | 'lazy'
  /** `alone`: the browser has neither Web Locks nor BroadcastChannel, and there is one tab at a time. */
  readonly tabs: 'together' | 'alone'
  readonly storage: 'local' | 'async'
  readonly hidden: 'continue' | 'pause'
  /** The faults that may happen. */
  readonly faults: readonly Fault[]
}

/** A call as the app makes it. */
export interface CallSpec {
  readonly name: 'work' | 'look'
  readonly key: string | undefined
  readonly repeat: NonNullable<ToolCallOptions['repeat']>
  readonly plan: Omit<CallPlan, 'nonce'>
}

/** A task that a record leads to. */
export interface RecordedTask {
  readonly taskId: string
  readonly callId: string
  readonly tool: string
  readonly key: string | undefined
}

/** A browser, its network, its storage and a server, with the books that show whether anything went wrong. */
export interface World {
  readonly options: WorldOptions
  /** Whether the server knows a call that comes again by its key. */
  readonly isIdempotent: boolean
  /** Whether half of the pages have an earlier version of the client. */
  readonly isOfTwoVersions: boolean
  readonly browser: SimulatedBrowser
  readonly server: ChaosServer
  readonly network: ChaosNetwork<Tab>
  readonly storage: RecordWatch
  readonly messages: MessageTroubles
  readonly thief: LockThief
  readonly ledger: CallLedger
  readonly floors: PollFloors<Tab>
  /** Every tab there ever was. */
  readonly tabs: readonly Tab[]
  /**
   * Tasks whose id has reached storage, without those that the app or the user has given up since, and those whose
   * end the page has seen that called them without a key.
   */
  readonly recorded: ReadonlyMap<string, RecordedTask>
  /** Whether the call was forgotten, and not started since. */
  isForgotten(callId: string): boolean
  /** False for a task of the server before it was restarted, the id of which may be another one's now. */
  isSameTask(task: { readonly taskId: string; readonly createdAt: string }): boolean
  /** Whether the server has dropped the task, or the clock of the pages says that it has. */
  isPastTtl(task: ServerTask): boolean
  /** The machine's own time, ms since the epoch; nobody corrects it. */
  now(): number
  openTab(): Tab
  /** The machine sleeps, in ms. */
  sleep(ms: number): void
  /** Notes that a tab was closed, has crashed, or has closed its client. */
  ended(tab: Tab): void
  start(tab: Tab, call: CallSpec): void
  /** The app follows a task whose id it has from elsewhere. */
  follow(tab: Tab, taskId: string): void
  /** Whether the call only follows the task of another one. */
  isFollower(callId: string): boolean
  /** The user responds to an input request that a tab shows. */
  answer(tab: Tab, callId: string, inputKey: string, text: string): void
  /** The app forgets calls; it knows that they are when what `ask` returns resolves. */
  forget(by: TaskClient, callIds: readonly string[] | 'all', ask: () => Promise<void>): void
  /** The user, or some accident, has taken the record of a call away. */
  abandon(callId: string): void
  /** The tab that sent the last poll. */
  lastPoller(): Tab | undefined
  /** What has the outcome of a call in a tab, and waits for it. */
  awaitResult(tab: Tab, call: ToolCall, name: string): void
  /** The names of what still waits in a tab. */
  waitingIn(tab: Tab): string[]
  /** The app, the user or the browser does something with a tab. */
  stirred(tab: Tab): void
  /** Whether a fault of the schedule strikes. In a world with few faults each has a rate of its own. */
  strikes(fault: Fault): boolean
  setClock(ms: number): void
  /** How far the clock was set, in ms: not more than this to either side. */
  correction(): number
  /** The server ends and starts again: it has forgotten everything, and uses the ids of its tasks again. */
  restartServer(): void
  /** Has `action` run at an await of the page: that after so many things that it does. Zero: takes it back. */
  atAwait(tab: Tab, count: number, action?: () => void): void
  /** For how many days pages were asked to leave something alone, or how many a clock was wrong by; 0 where it is far less. */
  patienceDays(): number
  count(key: TallyKey, by?: number): void
  /** Something happened that must not happen. */
  breach(kind: Breach, text: string): void
  readonly breaches: readonly string[]
  log(text: string): void
  readonly trace: readonly string[]
  /** Pairs of the stage of a call and of what happened in it. */
  readonly reached: ReadonlySet<string>
  /** More than the trace: messages, locks, timers, what is written and what is shown, too. */
  readonly journal: Journal
}

const URL = 'http://localhost/mcp'
const DAY_MS = 24 * 60 * 60_000
/** How long the server is away when it is restarted, in ms. */
const RESTART_MS = 1000
/** How far the clock of a tab is from that of the machine at the most, in ms. */
export const MAX_DRIFT_MS = 150

/** What a client is made with beyond what the world needs. */
export type ClientOptions = Pick<TaskClientUrlOptions, 'crossTab'> & {
  /** @default 'full' */
  kind?: ClientKind
  /** `two`: half of the pages have an earlier version of the client. @default 'one' */
  versions?: 'one' | 'two' | undefined
}

export function createWorld(
  options: WorldOptions,
  tally: Tally,
  { kind = 'full', versions = 'one', ...clientOptions }: ClientOptions = {},
): World {
  const random = seededRandom(options.seed)
  const jitter = seededRandom(options.seed ^ 0x5eed)
  const version = seededRandom(options.seed ^ 0x01d)
  const exchanges = new WeakMap<RequestInit, Parameters<typeof network.transmit>[0]>()
  const browser = createSimulatedBrowser({
    random: jitter,
    turns: 2,
    fetch: (_url, init = {}) => {
      const exchange = exchanges.get(init)
      if (exchange === undefined) return Promise.reject(new TypeError('not from a tab'))
      return network.transmit(exchange, init)
    },
  })
  // Time that passes for the network whatever happens to the pages.
  const machine = browser.openPage().environment
  const later = (callback: () => void, delayMs: number) => void machine.setTimeout(callback, delayMs)
  const messages = createMessageTroubles(later)
  const thief = createLockThief(options.tabs === 'alone' ? undefined : browser.openPage().environment.locks, later)
  let correction = 0
  let maxCorrection = 0
  let minCorrection = 0
  const now = () => browser.now() - correction
  const startedAt = now()

  const tabs: Tab[] = []
  const recorded = new Map<string, RecordedTask>()
  /** The names of the tabs that made the calls without a key. */
  const madeBy = new Map<string, string>()
  /** Calls whose record was taken away while a page was in the back-forward cache, which takes them for forgotten when it is back. */
  const takenAway = new Set<string>()
  /** Calls that follow the task of another one, and these tasks. */
  const followers = new Set<string>()
  const named = new Set<string>()
  const rates = createRates(options)
  const reached = new Set<string>()
  const breaches: string[] = []
  const trace: string[] = []
  let nonces = 0
  let lastPoller: Tab | undefined
  /** Ids of tasks that the server has forgotten, and may give to others. */
  const reused = new Set<string>()
  /** The last poll of a task that was answered, in the order in which polls were sent. */
  const latestAnswered = new Map<string, number>()
  let requestsSent = 0
  let patienceDays = 0
  let hasDrifted = false
  const sleptThroughSetBack = new Set<Tab>()
  /** When a page last could not read a record, by the wall clock. */
  const unreadAt = new Map<Tab, number>()
  /** What is to happen in the middle of what a page does. */
  let interruption: { readonly tab: Tab; left: number; readonly action: () => void } | undefined
  const waiting = new Map<Tab, Set<string>>()
  /** How often a page could not see which records there are. */
  let unlisted = 0

  const journal = createJournal(() => now() - startedAt)
  const log = (text: string) => {
    trace.push(`${String(now() - startedAt).padStart(7)} ${text}`)
    journal.note(text)
  }
  const breach = (kind: Breach, text: string) => {
    tally.add(kind)
    breaches.push(`${kind}: ${text}`)
    log(`!! ${kind}: ${text}`)
  }

  const ledger = createCallLedger()
  const { isStartedSince } = ledger
  const forgettings = createForgettings({ now, wallClock: browser.now, tabs, isStartedSince })
  // Not drawn: schedules of earlier versions stay as they were.
  const isIdempotent = options.seed % 4 < 2
  const server = createChaosServer({
    now,
    isIdempotent,
    // Nor is this.
    pushes: options.seed % 8 < 4,
    onChanged: () => network.changed(),
    onRepeated: () => tally.add('tools/call sent again under their key'),
    onExecuted: (nonce) => {
      tally.add('tools/call executed')
      log(`     executed: ${nonce}`)
      for (const task of server.tasks.values()) {
        const earlier = ledger.start(task.plan.nonce)
        if (earlier && isPastTtl(task)) ledger.permit(earlier.callId)
      }
      if (!ledger.executed(nonce)) breach('call duplicated', `${nonce} ran the tool of ${ledger.start(nonce)?.callId}`)
    },
  })
  const network = createChaosNetwork<Tab>({
    server,
    now,
    wallClock: browser.now,
    isOnline: (tab) => tab.isOnline,
    isAsleep,
    isGone: (tab) => !tab.isAlive,
    onPushed: (tab, snapshot, isNew) => floors.pushed(tab, snapshot, isNew, browser.now()),
    later,
    random,
    // Nor is this: longer than a tab waits before it takes the lead from one that does not poll. The tabs of the earlier version
    // cut off each other's polls then.
    answerMs: options.seed % 8 === 4 && versions === 'one' ? 2500 : 0,
    tally,
    log,
  })
  const floors = createPollFloors<Tab>({
    all: () => tabs,
    isAwake,
    follows,
    awakeSince: (tab) => tab.awakeSince,
    // A storage that takes its time may have answered a page that was there before with what was there before.
    // One that slept while the clock was set back cannot tell by which clock a record was written, and may end after it what
    // it began to write before.
    canHaveRead: (tab, writtenAt) => {
      if ((unreadAt.get(tab) ?? 0) >= writtenAt) return false
      return options.storage === 'local'
        ? !sleptThroughSetBack.has(tab)
        : sleptThroughSetBack.size === 0 && tab.openedAt > writtenAt
    },
    isNamed: (taskId) => named.has(taskId),
    isDeaf: messages.isDeaf,
  })
  const answers = createResponseBook<Tab>({ isAwake, isDeaf: messages.isDeaf })
  const pace = createRequestPace<Tab>()
  const cancels = createCancelWatch(server)
  const succession = createSuccession((taskId) => server.tasks.get(taskId)?.plan.nonce)
  const storage = createRecordWatch({
    random: seededRandom(options.seed ^ 0x57a7e),
    onFailed: (callId) => {
      // Whoever cannot read what it wrote cannot keep to it, nor take it away.
      if (callId === undefined) return void unlisted++
      ledger.permitFresh(callId)
      succession.waive(callId)
    },
    onWritten: ({ callId, tool, key, task: known }, before) => {
      const task = known?.task
      const replaced = before?.task?.task.taskId
      if (replaced !== task?.taskId && succession.replaced(callId, replaced, task?.taskId)) {
        for (const [taskId, other] of recorded) if (other.callId === callId) recorded.delete(taskId)
      }
      if (task === undefined || isGivenUp(task.taskId) || !isSameTask(task) || takenAway.has(callId)) return
      if (!recorded.has(task.taskId)) log(`     recorded: ${task.taskId} (${key ?? callId})`)
      if (!followers.has(callId)) recorded.set(task.taskId, { taskId: task.taskId, callId, tool, key })
      floors.stored(task.taskId, known?.earliestAt, browser.now())
      answers.stored(task.taskId, known?.answered ?? [])
    },
  })

  function send(tab: Tab, url: string | globalThis.URL, init: RequestInit = {}): Promise<Response> {
    // As `fetch` does: nothing is sent.
    if (init.signal?.aborted) return Promise.reject(init.signal.reason)
    // A page that has crashed runs nothing, also where the end of one of its streams wakes it.
    if (!tab.isAlive) return new Promise(() => {})
    const request = JSON.parse(String(init.body)) as RpcRequest
    const exchange = { sender: tab, request, sentAt: now() }
    const sentBy = correction
    const { taskId: asked = request.params?.['arguments'] && planOf(request.params).nonce } = request.params ?? {}
    const about = `${request.method} ${[asked, ...Object.keys(request.params?.['inputResponses'] ?? {})].join(' ')}`
    const many = pace.sent(tab, about, now())
    if (many > 0) breach('asked without pause', `${tab.name} sent ${about} ${many} times within ten seconds`)
    const ahead = pace.early(tab, about, now())
    // A call that begins asks at its own time. The earlier version connects as often as anything in it wants to.
    // Nor does a page that is told once more of a call that the app has forgotten know what the server wanted then.
    if (ahead > tolerated() && !isBeginning(tab) && !tab.isEarlier && !isGivenUp(String(asked)))
      breach('asked too early', `${tab.name} sent ${about} ${Math.round(ahead)} ms too early`)
    exchanges.set(init, exchange)
    act(tab)
    const taskId = request.method === 'tasks/get' ? String(request.params?.['taskId']) : undefined
    log(`  ${tab.name} → ${request.method} ${taskId ?? ''}`)
    journal.note(`${JSON.stringify([...new Headers(init.headers)])} ${String(init.body)}`)
    if (tab.isClosed) breach('left running after close()', `${tab.name} sent ${request.method}`)
    if (taskId !== undefined) {
      lastPoller = tab
      const early = floors.polled(tab, taskId, browser.now())
      const task = server.tasks.get(taskId)
      // Past its ttl the next poll decides, and is not put off for long.
      if (early > tolerated() && task !== undefined && !isPastTtl(task) && !reused.has(taskId) && !isSwapped(task))
        breach('poll too early', `${tab.name} polled ${taskId} ${Math.round(early)} ms too early`)
    }
    if (request.method === 'tasks/cancel') cancels.sent(tab, String(request.params?.['taskId']))
    if (request.method === 'tools/call' && request.params) ledger.sent(planOf(request.params).nonce)
    const update = request.method === 'tasks/update' ? sendResponses(tab, request) : undefined
    const order = ++requestsSent
    const outcome = tab.page.environment.fetch(url, init)
    const arrived = () => {
      const delivery = network.delivery(exchange) ?? { type: 'failure' as const }
      if (delivery.type === 'failure' && (delivery.notBefore ?? 0) > browser.now() + 60 * 60_000)
        patienceDays = Math.max(1, patienceDays)
      // Of polls the floors know more.
      const isPatience = delivery.type === 'failure' && delivery.notBefore !== undefined
      if (isPatience && taskId === undefined && sentBy === correction)
        pace.refused(tab, about, now() + delivery.notBefore - browser.now())
      const created = delivery.type === 'answer' && 'result' in delivery.answer && delivery.answer.result['taskId']
      const shown = taskId ?? (request.method === 'tools/call' && typeof created === 'string' ? created : undefined)
      log(`  ${tab.name} ← ${request.method} ${shown ?? ''} ${describe(delivery)}`)
      // The response to a `tools/call` puts off no poll of a page that follows the task by its id already.
      const isOfPoll = taskId !== undefined || !named.has(shown ?? '')
      if (shown !== undefined && isOfPoll && !init.signal?.aborted && delivery.type !== 'nothing')
        floors.answered(tab, shown, delivery, browser.now())
      if (request.method === 'tools/call' && shown === undefined && saysWhatBecame(delivery)) {
        const start = request.params && ledger.start(planOf(request.params).nonce)
        if (start) ledger.permit(start.callId)
      }
      if (taskId !== undefined && delivery.type === 'answer') {
        tally.add('polls answered')
        if (order < (latestAnswered.get(taskId) ?? 0)) tally.add('answers of two polls out of order')
        latestAnswered.set(taskId, Math.max(order, latestAnswered.get(taskId) ?? 0))
        if (!tab.isEarlier && !reused.has(taskId) && cancels.polled(tab, taskId))
          breach('cancellation lost', `${tab.name} shows ${taskId} as being cancelled, and nobody has asked the server`)
      }
      update?.(delivery.type === 'answer' && 'result' in delivery.answer && !init.signal?.aborted)
    }
    outcome.then(arrived, arrived)
    return outcome
  }

  /** Returns what is to be told of the end of the request. */
  function sendResponses(tab: Tab, { params = {} }: RpcRequest): (isAcknowledged: boolean) => void {
    const taskId = String(params['taskId'])
    const keys = Object.keys(params['inputResponses'] as object)
    const start = startOf(taskId)
    for (const key of answers.sent(tab, taskId, keys)) {
      if (!reused.has(taskId) && (start === undefined || !succession.isWaived(start.callId)))
        breach('input request answered twice', `${tab.name} answers ${key} of ${taskId}`)
    }
    return (isAcknowledged) => answers.ended(tab, taskId, keys, isAcknowledged)
  }

  function isPastTtl({ createdAt, plan }: ServerTask): boolean {
    return plan.ttlMs !== null && now() + maxCorrection - minCorrection >= createdAt + plan.ttlMs
  }

  function openTab(): Tab {
    const page = browser.openPage()
    let aheadMs = 0
    const note = (text: string) => {
      journal.note(`${tab.name} ${text}`)
      act(tab)
    }
    const life: RecordUser = {
      isAlive: () => tab.isAlive,
      onUnread: () => void unreadAt.set(tab, browser.now()),
      onRemoved: (record) => deliver(tab, record),
      onChanged: (key, value) => {
        tally.add('writes to storage')
        note(value === undefined ? `removes ${key}` : `writes ${key} ${value}`)
      },
    }
    const pause = () =>
      new Promise<void>((resolve) => page.environment.setTimeout(() => resolve(), Math.floor(random() * 15)))
    const local = storage.webStorage(life)
    const onFlood = () => breach('asked without pause', `${tab.name} tells the other tabs without end`)
    const noted = noting(page.environment, note, tally.add, thief.note, onFlood)
    const openChannel =
      noted.channel &&
      messages.forPage({
        isAsleep: () => isAsleep(tab),
        isGone: () => !tab.isAlive,
        onTrouble: (kind) => {
          tally.add(kind)
          log(`  ${kind}, on its way to ${tab.name}`)
        },
      })(noted.channel)
    const environment = {
      ...noted,
      channel: openChannel,
      // Not drawn: a schedule that was drawn before goes as it went.
      locks: noted.locks && options.seed % 16 >= 8 ? lateLocks(noted.locks, page.environment) : noted.locks,
      now: () => page.environment.now() + aheadMs,
      fetch: (url: string | globalThis.URL, init?: RequestInit) => send(tab, url, init),
      storage: () => local,
      ...(options.tabs === 'alone' && { locks: undefined, channel: undefined }),
    }
    const isEarlier = versions === 'two' && version() < 0.5
    const clientOf = isEarlier ? createEarlierClient : (given: TaskClientUrlOptions) => createClientOf(kind, given)
    const client = clientOf({
      url: URL,
      environment,
      resume: options.resume,
      // Not drawn, either.
      poll: { hidden: options.hidden, ...(options.seed % 8 === 5 && { maxConcurrent: 1 }) },
      // Nothing but an answer is to end a call.
      ...(isIdempotent && { callTimeoutMs: 2 ** 31 - 1 }),
      ...clientOptions,
      ...(options.storage === 'async' && { storage: storage.asyncStorage(life, pause) }),
    })
    const tab: Tab = {
      name: `tab${tabs.length + 1}${isEarlier ? ' (earlier version)' : ''}`,
      page,
      client,
      isEarlier,
      openedAt: browser.now(),
      awakeSince: browser.now(),
      isAlive: true,
      isFrozen: false,
      isCached: false,
      isClosed: false,
      isOnline: true,
      isVisible: true,
      get aheadMs() {
        return aheadMs
      },
      set aheadMs(ms) {
        aheadMs = ms
        hasDrifted = true
      },
    }
    tabs.push(tab)
    // What a page shows after its end is never seen.
    noteShown(client, (text) => tab.isAlive && note(text))
    // Forgotten, made again here or in another tab: the page remembers nothing of the task of before, and may hear of it once more.
    client.store.subscribe(({ calls }, { calls: before }) => {
      for (const [callId, { task }] of Object.entries(before))
        if (task && calls[callId]?.task?.taskId !== task.taskId && !follows(tab, task.taskId))
          floors.left(tab, task.taskId)
    })
    watchCoverage(client, reached)
    return tab
  }

  /** A page does something that others can see. */
  function act(tab: Tab): void {
    if (interruption?.tab !== tab) return
    interruption.left -= 1
    if (interruption.left > 0) return
    queueMicrotask(interruption.action)
    interruption = undefined
  }

  /** How many ms too early a poll may come: clocks that have drifted apart are that far from each other. */
  const tolerated = () => (hasDrifted ? 2 * MAX_DRIFT_MS : 0)

  /** False for a task of the server before it was restarted, the id of which may be another one's now. */
  function isSameTask({ taskId, createdAt }: { readonly taskId: string; readonly createdAt: string }): boolean {
    const task = server.tasks.get(taskId)
    return task !== undefined && Date.parse(createdAt) === task.createdAt
  }

  /**
   * Made again because the record could not be read: pages that follow now one task of the call and then the other know of the first
   * what the record says.
   */
  function isSwapped(task: ServerTask): boolean {
    const callId = ledger.start(task.plan.nonce)?.callId
    if (callId === undefined || !succession.isWaived(callId)) return false
    return [...server.tasks.values()].some(
      (other) => other !== task && ledger.start(other.plan.nonce)?.callId === callId,
    )
  }

  function restartServer(): void {
    for (const { taskId, plan } of server.tasks.values()) {
      reused.add(taskId)
      floors.forget(taskId)
      const callId = ledger.start(plan.nonce)?.callId
      if (callId !== undefined) abandon(callId)
    }
    ledger.forgotten()
    recorded.clear()
    network.cutStreams()
    server.restart()
    network.outage(RESTART_MS)
  }

  /** A record without a key is removed when the page that made the call has its outcome, and by no other. */
  function deliver({ name }: Tab, { callId, key, task }: CallRecord): void {
    const known = task && server.tasks.get(task.task.taskId)
    if (known === undefined || key !== undefined || madeBy.get(callId) !== name) return
    if (server.truth(known) !== undefined) recorded.delete(known.taskId)
  }

  function awaitResult(tab: Tab, call: ToolCall, name: string): void {
    const names = waiting.get(tab) ?? new Set()
    waiting.set(tab, names.add(name))
    const isOver = () => void names.delete(name)
    call.result.then(isOver, isOver)
  }

  function startOf(taskId: string): Start | undefined {
    return ledger.start(server.tasks.get(taskId)?.plan.nonce ?? '')
  }

  /** Whether the call of the task was forgotten after it was started. */
  function isGivenUp(taskId: string): boolean {
    const start = startOf(taskId)
    return start !== undefined && forgettings.isGivenUp(start)
  }

  function giveUp(callId: string): void {
    for (const [taskId, task] of recorded) {
      if (task.callId !== callId) continue
      recorded.delete(taskId)
      floors.unstored(
        taskId,
        [...tabs].filter(({ isCached }) => isCached),
      )
    }
  }

  function abandon(callId: string): void {
    ledger.permitFresh(callId)
    succession.waive(callId)
    if (tabs.some(({ isCached }) => isCached)) takenAway.add(callId)
    giveUp(callId)
  }

  function forget(callId: string, by: Tab | undefined, done: Promise<boolean>): void {
    // What is on its way may still arrive.
    ledger.permitFresh(callId)
    for (const taskId of server.tasks.keys()) if (startOf(taskId)?.callId === callId) floors.forget(taskId)
    giveUp(callId)
    forgettings.asking(callId, nonces, by, done)
  }

  return {
    options,
    isIdempotent,
    isOfTwoVersions: versions === 'two',
    browser,
    server,
    network,
    storage,
    messages,
    thief: {
      ...thief,
      steal: (index, ms) => {
        const name = thief.steal(index, ms)
        if (name?.includes(':input:')) answers.lockTaken()
        return name
      },
    },
    ledger,
    floors,
    tabs,
    recorded,
    isForgotten: (callId) => forgettings.isForgotten(callId) && !messages.isDeaf() && !succession.isWaived(callId),
    breaches,
    trace,
    journal,
    now,
    openTab,
    sleep: (ms) => {
      forgettings.slept(ms)
      browser.sleep(ms)
    },
    ended: (tab) => {
      tab.endedAt = now()
      floors.ended(tab, browser.now())
    },
    log,
    breach,
    count: tally.add,
    lastPoller: () => lastPoller,
    stirred: pace.stirred,
    strikes: rates.strikes,
    reached,
    isPastTtl,
    patienceDays: () => patienceDays,
    isSameTask,
    correction: () => correction,
    restartServer,
    atAwait: (tab, count, action = () => {}) => {
      interruption = count === 0 ? undefined : { tab, left: count, action }
    },
    setClock: (ms) => {
      correction += ms
      // Times of a clock that was ahead by a day are believed for as long (DUR-62).
      if (ms <= -DAY_MS) patienceDays += Math.ceil(-ms / DAY_MS)
      if (ms < 0) {
        for (const tab of tabs) {
          tab.openedAt += ms
          tab.awakeSince += ms
          if (!isAsleep(tab)) continue
          sleptThroughSetBack.add(tab)
          // It may take the lock of a call for one that it has not waited for, and make the call before it hears that it was forgotten.
          for (const { callId, phase } of Object.values(tab.client.store.getState().calls))
            if (phase === 'calling') ledger.permitFresh(callId)
        }
      }
      maxCorrection = Math.max(maxCorrection, correction)
      minCorrection = Math.min(minCorrection, correction)
      browser.setClock(ms)
      floors.clockSet(ms)
      // Set forward, the time seems to be over.
      if (ms > 0) for (const tab of tabs) pace.stirred(tab)
    },
    forget: (by, callIds, ask) => {
      const tab = tabs.find(({ client }) => client === by)
      // A call that a tab keeps all the same, by a clock that was set back, asks anew.
      for (const each of tabs) pace.stirred(each)
      forgettings.asked(tab, callIds)
      const before = unlisted
      const done = ask().then(() => unlisted === before)
      const meant = () => (callIds === 'all' ? [...ledger.calls(), ...followers] : callIds)
      for (const callId of meant()) forget(callId, tab, done)
      // What is written while a storage that takes its time is being cleared may go, too, or stay.
      const abandonAll = () => {
        for (const callId of meant()) abandon(callId)
      }
      if (options.storage === 'async') done.then(abandonAll, abandonAll)
    },
    abandon,
    answer: ({ client, name: tabName }, callId, inputKey, text) => {
      const call = client.getToolCall(callId)
      const task = server.tasks.get(call?.getState().task?.taskId ?? '')
      if (call === undefined || task === undefined) return
      log(`${tabName} answers ${inputKey} of ${task.taskId}: ${text}`)
      const arrived = () => {
        // Sent while another task was given the id, it went to that one, and nobody can know.
        if (!task.answers.has(inputKey) && !reused.has(task.taskId))
          breach('input response lost', `${inputKey} of ${task.taskId}, given in ${tabName}`)
      }
      call.respond(inputKey, { action: 'accept', content: { answer: text } }).then(arrived, () => {})
    },
    awaitResult,
    waitingIn: (tab) => [...(waiting.get(tab) ?? [])],
    isFollower: (callId) => followers.has(callId),
    follow: (tab, taskId) => {
      log(`${tab.name} follows ${taskId}`)
      named.add(taskId)
      const call = tab.client.resumeTask({ taskId, name: 'work' })
      const { callId } = call
      awaitResult(tab, call, `${taskId}, by its id`)
      // A page that knows the call of the task follows it by that.
      if (isStartedSince(callId, 0)) return
      followers.add(callId)
      forgettings.started(callId)
      if (!forgettings.isMeant(tab, callId)) return
      forgettings.meant(callId, nonces)
      abandon(callId)
    },
    start: (tab, { name, key, repeat, plan }) => {
      const { client, name: tabName } = tab
      const nonce = `call-${++nonces}`
      log(
        `${tabName} starts ${name} as ${key ?? 'one of its own'}${repeat === 'never' ? '' : `, repeat: ${repeat}`} (${nonce})`,
      )
      if (key !== undefined) {
        const callId = client.toolCallId(name, key)
        if (repeat !== 'never') succession.fresh(callId, nonce)
        if (repeat !== 'never' && ledger.knows(callId)) ledger.permitFresh(callId)
        begin(callId)
      }
      const removeNonce = client.addCallMeta(() => () => ({ [NONCE_META]: nonce }))
      const call = client.startToolCall({ name, arguments: plan }, { repeat, ...(key !== undefined && { key }) })
      removeNonce()
      begin(call.callId)
      if (key === undefined) madeBy.set(call.callId, tabName)
      awaitResult(tab, call, nonce)
      if (forgettings.isMeant(tab, call.callId)) {
        forgettings.meant(call.callId, nonces)
        abandon(call.callId)
      }

      function begin(callId: string): void {
        forgettings.started(callId)
        takenAway.delete(callId)
        ledger.started({ nonce, callId, order: nonces, isRepeatable: name === 'look' })
      }
    },
  }
}

/** A world with more faults than these has them at every chance. */
export const MAX_FEW = 6

/** What a fault that strikes at all strikes with. */
const RATES = [0.25, 0.5, 1] as const

/** Not drawn by fast-check: which schedules a seed leads to stays as it was. */
function createRates({ seed, faults }: WorldOptions): Pick<World, 'strikes'> {
  const hasAll = faults.length > MAX_FEW
  const byFault = new Map(
    FAULTS.map((fault, index) => {
      const draw = seededRandom(seed ^ (0x4a7e5 * (index + 1)))
      return [fault, { rate: RATES[Math.floor(draw() * RATES.length)] ?? 1, draw }] as const
    }),
  )
  return {
    strikes: (fault) => {
      const { rate, draw } = byFault.get(fault) ?? { rate: 1, draw: () => 0 }
      return hasAll || draw() < rate
    },
  }
}

/** Whether the client knows what became of its call: not where that was another one. */
function saysWhatBecame(delivery: Delivery): boolean {
  if (delivery.type !== 'answer') return false
  return !('error' in delivery.answer) || delivery.answer.error.data === undefined
}

/** Shows a call to somebody. */
export function look(world: World, tab: Tab, callId: string): void {
  const call = tab.client.getToolCall(callId)
  if (call !== undefined) world.awaitResult(tab, call, `a look at ${callId}`)
}

function describe(delivery: { type: string; answer?: unknown; notBefore?: number }): string {
  if (delivery.type !== 'answer') return delivery.type
  const answer = delivery.answer as { result?: Record<string, unknown>; error?: { code: number } }
  return answer.error ? `error ${answer.error.code}` : `${answer.result?.['status'] ?? 'ok'}`
}
