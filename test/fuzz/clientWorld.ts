import { type Environment, isTaskError, type TaskClient, type ToolCall, type ToolCallState } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { NONCE_META, planOf } from '../chaos/chaosServer.js'
import { createPollFloors } from '../chaos/pollFloors.js'
import { seededRandom } from '../seeded/seededRandom.js'
import { createClientOf } from '../support/createClientOf.js'
import type { CallSpec, ClientCase } from './clientCase.js'
import { type ClientNetwork, createClientNetwork, type Sent } from './clientNetwork.js'
import { add, type Breach, type Counts } from './kinds.js'
import { KNOWN_FAULTS } from './knownFaults.js'
import { foreignPrototype } from './prototypes.js'
import { tapTabs } from './tabTap.js'
import { toldIds } from './toldIds.js'
import { createWireServer, SESSION_ID, taskIdOf, type WireServer } from './wireServer.js'

/** A page from its opening to its end, with its client. */
export interface Tab {
  readonly name: string
  readonly page: SimulatedPage
  readonly client: TaskClient
  readonly openedAt: number
  /** Calls that this page has a handle on. */
  readonly calls: ToolCall[]
  isAlive: boolean
  isClosed: boolean
  isOnline: boolean
}

/** A browser with the app in it, a network that mangles, a sane server, and the books. */
export interface ClientWorld {
  readonly case: ClientCase
  readonly browser: SimulatedBrowser
  /** Time that passes whatever happens to the pages. */
  readonly machine: SimulatedPage['environment']
  readonly server: WireServer
  readonly network: ClientNetwork<Tab>
  readonly tabs: readonly Tab[]
  readonly breaches: readonly string[]
  readonly trace: readonly string[]
  /** When a task was last polled, ms since the epoch; 0: never. */
  polledAt(taskId: string): number
  openTab(): Tab
  start(tab: Tab, call: CallSpec): void
  /** The app asks for what it has a right to; whether it gets it does not matter. */
  attempt(what: string, action: () => Promise<unknown>): void
  /** From now on nobody knows how often the tool of these calls may run, or when they may be polled. */
  taint(): void
  log(text: string): void
  breach(kind: Breach, text: string): void
}

/** What no app of this size sends: requests in a second, and in a run. */
const FLOOD = { perSecond: 150, inAll: 4000 }

/** The shortest interval that a client keeps, whatever the server says. */
const MIN_INTERVAL_MS = 50

/** What the client takes where a response names no interval. */
const DEFAULT_INTERVAL_MS = 1000

/** Ids of tasks that the server does not know, which the app asks for by itself. */
export const UNKNOWN_TASK = taskIdOf(999)

/** Changes what a page has, to see that something comes of it. */
export type Spoil = (environment: Environment) => Environment

export function createClientWorld(options: ClientCase, counts: Counts, spoil: Spoil = (own) => own): ClientWorld {
  const senders = new WeakMap<RequestInit, Tab>()
  const browser = createSimulatedBrowser({
    random: seededRandom(options.seed),
    turns: 3,
    fetch: (_url, init = {}) => {
      const tab = senders.get(init)
      return tab === undefined ? Promise.reject(new TypeError('not from a tab')) : network.fetch(tab, init)
    },
  })
  const machine = browser.openPage().environment
  const later = machine.setTimeout
  const startedAt = browser.now()
  const tabs: Tab[] = []
  const trace: string[] = []
  const breaches: string[] = []
  const secrets = [SESSION_ID, UNKNOWN_TASK]
  const looked = new WeakSet<object>()
  /** Times at which requests were sent. */
  const sentAt: number[] = []
  let isFlooded = false
  let isTainted = false
  let nonces = 0
  /** Starts of the app by nonce, and how often the tool has run for each and for each key. */
  const starts = new Map<string, CallSpec>()
  const executions = new Map<string, number>()
  /** The shortest interval that any response about a task may have asked for. */
  const shortest = new Map<string, number>()
  /** When each task was last polled. */
  const polls = new Map<string, number>()
  const answeredAt = new Map<string, number>()

  // A script of the same origin can make tabs say what it likes.
  const isSecretive =
    options.tabFaults.length === 0 &&
    !(options.era === 'legacy' && KNOWN_FAULTS.has('task ids in words of the legacy era'))

  const log = (text: string) => trace.push(`${String(browser.now() - startedAt).padStart(7)} ${text.slice(0, 400)}`)
  const breach = (kind: Breach, text: string) => {
    add(counts, kind)
    if (breaches.length < 5) breaches.push(`${kind}: ${text.slice(0, 600)}`)
    log(`!! ${kind}: ${text}`)
  }

  function look(error: unknown, where: string, isOurs = true): void {
    if (typeof error !== 'object' || error === null || looked.has(error)) return
    looked.add(error)
    const told = isSecretive ? toldIds(error, secrets) : undefined
    if (told !== undefined) breach('task id told', `${where}: ${told.where} of ${String(error)}`)
    if (isOurs && !isKnownError(error))
      breach('error of no known class', `${where}: ${(error as Error).stack ?? String(error)}`)
  }

  /** Whether a page that comes later finds the call: one that became no task leaves nothing, and what only looks may be repeated. */
  const isKept = (tool: CallSpec['tool'] | undefined, key: string) =>
    tool === 'work' &&
    options.calls.every((call) => call.key !== key || call.tool !== tool || /task/.test(call.plan.answer))

  const server = createWireServer({
    era: options.era,
    push: options.push,
    now: browser.now,
    later,
    onExecuted: (nonce) => {
      const { key, tool } = starts.get(nonce) ?? {}
      const run = (name: string) => {
        const times = (executions.get(name) ?? 0) + 1
        executions.set(name, times)
        return times
      }
      log(`     executed: ${nonce}`)
      if (run(nonce) > 1) breach('tool run twice', nonce)
      if (key !== undefined && run(`key ${tool} ${key}`) > 1 && !isTainted && isKept(tool, key))
        breach('tool run twice', `key ${key}`)
    },
  })
  const floors = createPollFloors<Tab>({
    all: () => tabs,
    isAwake: ({ isAlive, isClosed }) => isAlive && !isClosed,
    follows,
    awakeSince: ({ openedAt }) => openedAt,
    canHaveRead: () => true,
  })

  const network = createClientNetwork<Tab>({
    server,
    faults: options.faults,
    later,
    isOnline: ({ isOnline }) => isOnline,
    isFlooded: () => isFlooded,
    onFault: (fault, { method }) => {
      add(counts, fault.kind)
      isTainted = true
      log(`  ${fault.kind}: ${method} ${JSON.stringify(fault.edits)}`)
    },
    onSend: ({ page, method, taskId, request }) => {
      add(counts, 'requests')
      log(`  ${page.name} → ${method} ${taskId ?? ''} ${method === 'response' ? JSON.stringify(request) : ''}`)
      if (page.isClosed) breach('left running after close()', `${page.name} sent ${method}`)
      sentAt.push(browser.now())
      const within = sentAt.filter((at) => at > browser.now() - 1000).length
      if (!isFlooded && (within > FLOOD.perSecond || sentAt.length > FLOOD.inAll)) {
        isFlooded = true
        breach('flood of requests', `${within} in a second, ${sentAt.length} in all, now ${method}`)
      }
      if (method === 'tasks/get' && taskId !== undefined) polls.set(taskId, browser.now())
      if (method === 'tasks/get' && taskId !== undefined && server.tasks.has(taskId)) polled(page, taskId)
    },
    onArrived: (sent, text, fault) => {
      log(`  ${sent.page.name} ← ${sent.method} ${fault ? fault.kind : ''} ${text}`)
      for (const taskId of server.tasks.keys()) if (!secrets.includes(taskId)) secrets.push(taskId)
      arrived(sent, text, fault !== undefined)
    },
  })

  function polled(page: Tab, taskId: string): void {
    const early = isTainted
      ? (answeredAt.get(taskId) ?? 0) + MIN_INTERVAL_MS - browser.now()
      : floors.polled(page, taskId, browser.now())
    if (early > 0) breach('poll too early', `${page.name} polled ${taskId} ${Math.round(early)} ms too early`)
  }

  /** Notes when the task may be polled next, as far as what has arrived says it. */
  function arrived({ page, method, request, taskId }: Sent<Tab>, text: string, isMangled: boolean): void {
    const nonce = request.params && planOf(request.params).nonce
    const made =
      method === 'tools/call' ? [...server.tasks.values()].find(({ plan }) => plan.nonce === nonce) : undefined
    const about = method === 'tasks/get' ? taskId : made?.taskId
    if (about === undefined) return
    const mayBeOver = /completed|failed|cancelled/.test(text)
    const named = [...text.matchAll(/"pollInterval(?:Ms)?":(\d+)/g)].map(([, ms]) => Number(ms))
    const said = isMangled ? [...named, DEFAULT_INTERVAL_MS] : named
    const least = Math.min(shortest.get(about) ?? Number.POSITIVE_INFINITY, ...said)
    shortest.set(about, least)
    const isFree = mayBeOver && (method === 'tools/call' || !isMangled)
    answeredAt.set(about, isFree ? 0 : browser.now())
    const pollIntervalMs = isFree ? 0 : isMangled ? Math.max(MIN_INTERVAL_MS, least) : Math.min(...named)
    const answer = { result: { status: 'working', pollIntervalMs } }
    if (Number.isFinite(pollIntervalMs)) floors.answered(page, about, { type: 'answer', answer }, browser.now())
  }

  function openTab(): Tab {
    const page = browser.openPage()
    const tap = tapTabs({
      environment: spoil(page.environment),
      browser,
      faults: options.tabFaults,
      counts,
      log,
      onFault: taint,
    })
    const environment = {
      ...tap,
      fetch: (url: string | globalThis.URL, init: RequestInit = {}) => {
        senders.set(init, tab)
        return page.environment.fetch(url, init)
      },
    }
    const client = createClientOf(options.client, {
      url: 'http://localhost/mcp',
      environment,
      resume: options.resume,
      push: options.push,
      onError: (error, context) => {
        const told = secrets.find((id) => JSON.stringify(context).includes(id))
        if (told !== undefined) breach('task id told', `the context ${JSON.stringify(context)}`)
        look(error, `onError (${context.operation})`)
      },
    })
    const tab: Tab = {
      name: `tab${tabs.length + 1}`,
      page,
      client,
      openedAt: browser.now(),
      calls: [],
      isAlive: true,
      isClosed: false,
      isOnline: true,
    }
    tabs.push(tab)
    client.store.subscribe(({ calls, connection }) => {
      look(connection.error, 'connection')
      for (const call of Object.values(calls)) lookAt(call)
    })
    attempt('connect', client.connect)
    return tab
  }

  const lookedAt = new WeakSet<ToolCallState>()
  function lookAt(call: ToolCallState): void {
    if (lookedAt.has(call)) return
    lookedAt.add(call)
    look(call.error, 'call.error')
    look(call.lastError, 'call.lastError')
    const { task, result, inputRequests } = call
    const path = foreignPrototype({ task, result, inputRequests })
    if (path !== undefined) breach('prototype polluted', `the state of a call has a foreign prototype at ${path}`)
  }

  function attempt(what: string, action: () => Promise<unknown>): void {
    new Promise((resolve) => resolve(action())).catch((error: unknown) => {
      log(`     ${what}: ${String(error)}`)
      // What the SDK says of its own methods is passed on as it is.
      look(error, what, what !== 'listTools')
    })
  }

  function taint(): void {
    isTainted = true
  }

  return {
    case: options,
    browser,
    machine,
    server,
    network,
    tabs,
    breaches,
    trace,
    polledAt: (taskId) => Math.max(0, ...[...polls].flatMap(([id, at]) => (taskId.endsWith(id) ? [at] : []))),
    openTab,
    attempt,
    taint,
    log,
    breach,
    start: (tab, call) => {
      const nonce = `call-${++nonces}`
      starts.set(nonce, call)
      add(counts, 'calls')
      log(`${tab.name} starts ${call.tool} as ${call.key ?? 'one of its own'} (${nonce})`)
      const { key, tool } = call
      const removeNonce = tab.client.addCallMeta(() => () => ({ [NONCE_META]: nonce }))
      const started = tab.client.startToolCall({ name: tool, arguments: call.plan }, key === undefined ? {} : { key })
      removeNonce()
      tab.calls.push(started)
      attempt('call', () => started.result)
    },
  }
}

function follows({ client }: Tab, taskId: string): boolean {
  return Object.values(client.store.getState().calls).some(
    // In the legacy era the id says the session, too.
    (call) => call.task?.taskId.endsWith(taskId) === true && !isSettled(call),
  )
}

export function isSettled({ phase }: ToolCallState): boolean {
  return phase === 'completed' || phase === 'failed' || phase === 'cancelled'
}

/** Errors that an app can tell apart: ours, the SDK's, and the reason of an abort. */
function isKnownError(error: object): boolean {
  const { name } = error as Error
  return (
    isTaskError(error) ||
    name === 'AbortError' ||
    /^(Sdk|Protocol|Unauthorized|UnsupportedProtocol|WireError$|RpcError$|HttpError$)/.test(name)
  )
}
