import { createTaskClient, type TaskClient, type TaskClientOptions, type TaskStorage } from 'taskwire'
import {
  createTaskClient as createPageClient,
  type PageWebSocket,
  type TaskClientBridgeOptions,
  webSocket,
} from 'taskwire/bridge'
import { createTaskBridge, type TaskBridge, type TaskBridgeOptions } from 'taskwire/bridge/server'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import type { Environment } from '../../src/core/environment/environment.js'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { createPageLife } from '../../src/tools/testing/simulatedPage.js'
import { createSharedDatabase, type DatabaseConnection } from './sharedDatabase.js'

export type BackendOptions = Omit<TaskClientOptions, 'url' | 'environment'>

let areSockets = false

/** Whether the carrier of pages is a WebSocket from now on. Other files of tests may have this module, too: set it back. */
export function openSocketsFromNowOn(are = true): void {
  areSockets = are
}

/** A request of a page, as it came to the backend. */
export interface BackendRequest {
  readonly method: string
  /** The number of the process that it has reached: each that is started has the next one. */
  readonly process: number
  readonly user: string | undefined
  readonly lastEventId: string | null
  readonly body: { id: string; isRepeated: boolean; action: { type: string; [member: string]: unknown } } | undefined
}

/** A backend with the client of each user, and the pages in front of it. */
export interface BridgedBackend {
  /** The client of a user, made when it is needed. */
  clientOf(user: string): TaskClient
  readonly bridge: TaskBridge
  /** What pages have sent. */
  readonly requests: readonly BackendRequest[]
  /** How many streams pages hold open. */
  openStreams(): number
  /** How often pages have asked for an action of this type. */
  count(type: string): number
  /** A page of a user; undefined: of nobody. The user is asked for with each request. */
  openPage(
    user?: () => string | undefined,
    options?: Partial<TaskClientBridgeOptions>,
    /** How far its clock is ahead, in ms. */
    aheadMs?: number,
  ): { readonly client: TaskClient; readonly page: SimulatedPage; readonly network: PageNetwork }
  /** Kills the process, or one of several, and starts another one with the same storage. */
  restart(): Promise<void>
  /** Freezes the process, or one of several, for so many ms. After four seconds its requests and streams are cut off, and no more reach it. */
  freeze(ms: number): void
  /** Thaws every process now. */
  thaw(): Promise<void>
  /** What one of several processes hears of the others, which a test can disturb; undefined if there is only one. */
  messages(): DatabaseConnection | undefined
  /** True if one of several processes has missed what another one has said on this channel. */
  hasLost(channel: string): boolean
  /** The client of a user in each process. */
  clientsOf(user: string): readonly TaskClient[]
}

/** Several processes that share records, and locks and messages as over a database. */
export interface SharedBackend {
  readonly processes: number
  /** Which process the next request reaches, and which one is killed. */
  readonly pick: (count: number) => number
}

/** What lies between a page and its backend. */
export interface PageNetwork {
  /** Loses every request, and what is open. */
  cut(): void
  mend(): void
  /** Ends the streams that are open. */
  dropStreams(): void
  /** Answers so many requests with an action, whose answers are lost: they were carried out. */
  loseAnswers(count: number): void
  /** Has so many answers arrive this much later, in ms: those to requests that were sent after them may come before them. */
  delayAnswers(count: number, ms: number): void
  /**
   * Answers so many requests, or only those of a method, with a 503, and says in how many seconds the page may come again. They do not reach
   * the backend.
   */
  refuse(count: number, retryAfter: number, method?: 'POST'): void
  /** Sends a request as this page does. */
  send(init: RequestInit): Promise<Response>
}

/** How long a load balancer waits for a process that does not answer, in ms. */
const PATIENCE_MS = 4000

/** How long a process was frozen at least when it may find that its connection to the database does not answer, in ms. */
const SILENT_MS = 5000

/** How long a process runs at least between two freezes, in ms. Without that, what it is asked would wait for longer than one of them. */
const THAWED_MS = 1000

export const BRIDGE_URL = 'http://localhost/api/calls'

/** The user, in tests: what a session would say. */
export const USER_HEADER = 'x-user'

/** The same, unless the connection breaks off before, as it does where one end of it is gone. */
function whileOpen<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const breakOff = () => reject(new TypeError('fetch failed'))
    if (signal.aborted) breakOff()
    signal.addEventListener('abort', breakOff)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', breakOff))
  })
}

/** The same storage for a process that may be frozen, or gone, when an answer comes. */
function arriving(storage: TaskStorage, arrival: () => Promise<void>): TaskStorage {
  const late =
    <Args extends unknown[], T>(ask: (...args: Args) => T | Promise<T>) =>
    (...args: Args): T | Promise<T> => {
      const answer = ask(...args)
      return answer instanceof Promise ? answer.finally(arrival) : answer
    }
  const { replaceItem } = storage
  return {
    getItem: late(storage.getItem),
    setItem: late(storage.setItem),
    removeItem: late(storage.removeItem),
    keys: late(storage.keys),
    ...(replaceItem && { replaceItem: late(replaceItem) }),
  }
}

/** The same with another clock. */
const ahead = (environment: Environment, ms: number): Environment =>
  ms === 0 ? environment : { ...environment, now: () => environment.now() + ms }

export function createBridgedBackend(
  server: TestServer,
  options: Partial<TaskBridgeOptions> = {},
  clientOptions: BackendOptions = {},
  hasSockets: boolean = areSockets,
  /** How far the clock of the next process is ahead, in ms. */
  aheadOfNext: () => number = () => 0,
  { processes: count, pick }: SharedBackend = { processes: 1, pick: () => 0 },
): BridgedBackend {
  const storage = memoryStorage()
  const requests: BackendRequest[] = []
  const streams = new Set<object>()
  const outside = server.browser.openPage().environment
  const database = createSharedDatabase(outside)
  let started = 0
  const processes = Array.from({ length: count }, startProcess)
  type Process = ReturnType<typeof startProcess>

  /** The process that a request reaches; undefined if a load balancer has given up all of them. */
  function reached(): Process | undefined {
    const alive = processes.filter(({ isGivenUp }) => !isGivenUp())
    return alive[pick(alive.length)]
  }

  function startProcess() {
    const machine = server.browser.openPage()
    const life = new AbortController()
    const sleep = createPageLife()
    life.signal.addEventListener('abort', sleep.end)
    const own = ahead(machine.environment, aheadOfNext())
    const messages = count === 1 ? undefined : database.connect({ environment: own, arrival: sleep.arrival })
    const environment = { ...own, ...(messages ?? { locks: undefined, channel: undefined }) }
    const clients = new Map<string, TaskClient>()
    const given = clientOptions.storage ?? storage
    const kept = typeof given === 'string' ? given : arriving(given, sleep.arrival)
    const clientOf = (user: string) => {
      const known = clients.get(user)
      if (known !== undefined) return known
      const client = createTaskClient({
        ...{ url: server.url, scope: user, environment, ...clientOptions },
        storage: kept,
      } as never)
      clients.set(user, client)
      return client
    }
    const bridge = createTaskBridge({
      clientOf: ({ headers }) => {
        const user = headers.get(USER_HEADER)
        return user === null ? undefined : clientOf(user)
      },
      allow: () => true,
      environment,
      ...options,
    })
    let cut = new AbortController()
    let thawedAt = Number.NEGATIVE_INFINITY
    let frozenAt = 0
    started += 1
    return {
      number: started,
      ...{ machine, bridge, clientOf, life, messages },
      arrival: sleep.arrival,
      isFrozen: sleep.isFrozen,
      isGivenUp: () => cut.signal.aborted,
      /** Aborted when what is open there is cut off. */
      open: () => AbortSignal.any([life.signal, cut.signal]),
      mayFreeze: () => !sleep.isFrozen() && outside.now() >= thawedAt + THAWED_MS,
      freeze: () => {
        frozenAt = outside.now()
        machine.freeze()
        sleep.freeze()
        const until = cut
        outside.setTimeout(() => sleep.isFrozen() && until === cut && cut.abort(), PATIENCE_MS)
      },
      thaw: async () => {
        cut = new AbortController()
        thawedAt = outside.now()
        if (thawedAt - frozenAt >= SILENT_MS && pick(2) === 0) messages?.giveUp()
        sleep.thaw()
        await machine.thaw()
      },
    }
  }

  async function log(request: Request, process: number, user: string | undefined): Promise<void> {
    const { method, headers } = request
    const body = method === 'POST' ? JSON.parse(await request.clone().text()) : undefined
    requests.push({ method, process, user, lastEventId: headers.get('last-event-id'), body })
  }

  function openNetwork(userOf: () => string | undefined) {
    let isCut = false
    let lost = 0
    let late = { count: 0, ms: 0 }
    let refused: { count: number; retryAfter: number; method?: string | undefined } = { count: 0, retryAfter: 0 }
    const wire = server.browser.openPage().environment
    let open = new AbortController()

    async function send(init: RequestInit): Promise<Response> {
      if (isCut) throw new TypeError('fetch failed')
      if (refused.count > 0 && init.method === (refused.method ?? init.method)) {
        refused = { ...refused, count: refused.count - 1 }
        return new Response(null, { status: 503, headers: { 'retry-after': `${refused.retryAfter}` } })
      }
      const user = userOf()
      const reachedProcess = reached()
      if (reachedProcess === undefined) throw new TypeError('fetch failed')
      const { bridge, arrival, life } = reachedProcess
      const signals = [open.signal, ...(init.signal ? [init.signal] : [])]
      const gone = AbortSignal.any([...signals, reachedProcess.open()])
      // A frozen process hears later that nobody waits any longer, after the request itself.
      const left = new AbortController()
      gone.addEventListener('abort', () => void arrival().then(() => left.abort()))
      const headers = {
        ...(init.headers as Record<string, string>),
        ...(user !== undefined && { [USER_HEADER]: user }),
      }
      const request = new Request(BRIDGE_URL, { ...init, headers, signal: AbortSignal.any([life.signal, left.signal]) })
      await log(request, reachedProcess.number, user)
      if (request.method === 'GET') {
        streams.add(request)
        gone.addEventListener('abort', () => streams.delete(request))
      }
      const answered = arrival().then(() => bridge.fetch(request))
      const response = await whileOpen(gone, answered.finally(arrival))
      if (init.method === 'POST' && late.count > 0) {
        const { count, ms } = late
        late = { count: count - 1, ms }
        // What the process has sent arrives, even if the process is gone by then.
        await whileOpen(AbortSignal.any(signals), new Promise<void>((resolve) => wire.setTimeout(resolve, ms)))
      }
      if (init.method === 'POST' && lost > 0) {
        lost -= 1
        throw new TypeError('fetch failed')
      }
      return response
    }

    /** The page's end of a socket of `openSocket()`. What is sent arrives in a later turn, while the network and the process are there. */
    class Socket implements PageWebSocket {
      readonly #listeners: { type: string; listener: (event: { data: unknown }) => void }[] = []
      readonly #process = reached()
      readonly #lost = AbortSignal.any([open.signal, ...(this.#process ? [this.#process.open()] : [])])
      #isClosed = false
      /** What the process has not heard yet. */
      #heard = Promise.resolve()
      #onMessage: (data: unknown) => void = () => {}
      #onClose = () => {}

      constructor(url: string) {
        const user = userOf()
        const request = new Request(url.replace('ws', 'http'), {
          headers: { origin: 'http://localhost', ...(user !== undefined && { [USER_HEADER]: user }) },
        })
        this.#lost.addEventListener('abort', () => this.#end())
        this.#toProcess(({ bridge, number }) => {
          if (isCut || this.#isClosed) return this.#end()
          streams.add(this)
          const lastEventId = new URL(url).searchParams.get('lastEventId')
          requests.push({ method: 'GET', process: number, user, lastEventId, body: undefined })
          this.#emit('open')
          const own = bridge.openSocket(request, {
            send: (data) => this.#toPage(() => this.#emit('message', data)),
            close: () => this.#toPage(() => this.#end()),
          })
          this.#onMessage = own.onMessage
          this.#onClose = own.onClose
        })
      }

      addEventListener(type: string, listener: (event: { data: unknown }) => void): void {
        this.#listeners.push({ type, listener })
      }

      send(data: string): void {
        if (!this.#isClosed) this.#toProcess(() => this.#onMessage(data))
      }

      close(): void {
        this.#toPage(() => this.#end())
      }

      #toProcess(act: (process: Process) => void): void {
        const process = this.#process
        if (process === undefined) return this.#toPage(() => this.#end())
        this.#heard = this.#heard.then(process.arrival).then(() => act(process))
      }

      #toPage(act: () => void): void {
        queueMicrotask(() => {
          if (!this.#isClosed) act()
        })
      }

      #emit(type: string, data?: unknown): void {
        for (const each of this.#listeners) if (each.type === type) each.listener({ data })
      }

      #end(): void {
        if (this.#isClosed) return
        this.#isClosed = true
        streams.delete(this)
        this.#emit('close')
        this.#toProcess(() => this.#onClose())
      }
    }

    return {
      send,
      Socket,
      cut: () => {
        isCut = true
        open.abort()
      },
      mend: () => {
        isCut = false
        open = new AbortController()
      },
      dropStreams: () => {
        open.abort()
        open = new AbortController()
      },
      loseAnswers: (count: number) => {
        lost = count
      },
      delayAnswers: (count: number, ms: number) => {
        late = { count, ms }
      },
      refuse: (count: number, retryAfter: number, method?: 'POST') => {
        refused = { count, retryAfter, method }
      },
    }
  }

  return {
    clientOf: (user) => (processes[0] as Process).clientOf(user),
    clientsOf: (user) => processes.map(({ clientOf }) => clientOf(user)),
    get bridge() {
      return (processes[0] as Process).bridge
    },
    requests,
    openStreams: () => streams.size,
    count: (type) => requests.filter(({ body }) => body?.action.type === type).length,
    openPage: (user = () => 'ada', pageOptions = {}, aheadMs = 0) => {
      const page = server.browser.openPage()
      const network = openNetwork(user)
      const fetch = async (_: string | URL, init: RequestInit = {}) => {
        return network.send(init)
      }
      const client = createPageClient({
        ...{ url: BRIDGE_URL, environment: ahead(page.environment, aheadMs), fetch },
        ...(hasSockets && { carrier: webSocket({ WebSocket: network.Socket }) }),
        ...pageOptions,
      })
      return { client, page, network }
    },
    freeze: (ms) => {
      const awake = processes.filter(({ mayFreeze }) => mayFreeze())
      const chosen = awake[pick(awake.length)]
      chosen?.freeze()
      outside.setTimeout(() => chosen?.isFrozen() && void chosen.thaw(), ms)
    },
    thaw: async () => {
      await Promise.all(processes.filter(({ isFrozen }) => isFrozen()).map((each) => each.thaw()))
    },
    messages: () => processes[pick(count)]?.messages,
    hasLost: (channel) => database.lost.has(`channel:${channel}`),
    restart: async () => {
      const at = pick(count)
      const before = processes[at] as Process
      await before.machine.crash()
      processes[at] = startProcess()
      before.life.abort()
    },
  }
}
