import { createTaskClient, type TaskClient, type TaskClientOptions } from 'taskwire'
import { createTaskClient as createPageClient, type TaskClientBridgeOptions } from 'taskwire/bridge'
import { createTaskBridge, type TaskBridge, type TaskBridgeOptions } from 'taskwire/bridge/server'
import type { SimulatedPage, TestServer } from 'taskwire/testing'

export type BackendOptions = Omit<TaskClientOptions, 'url' | 'environment'>

/** A request of a page, as it came to the backend. */
export interface BackendRequest {
  readonly method: string
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
  /** How often pages have asked for an action of this type. */
  count(type: string): number
  /** A page of a user; undefined: of nobody. The user is asked for with each request. */
  openPage(
    user?: () => string | undefined,
    options?: Partial<TaskClientBridgeOptions>,
  ): { readonly client: TaskClient; readonly page: SimulatedPage; readonly network: PageNetwork }
  /** Kills the process, and starts another one with the same storage. */
  restart(): Promise<void>
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
  /** Sends a request as this page does. */
  send(init: RequestInit): Promise<Response>
}

export const BRIDGE_URL = 'http://localhost/api/calls'

/** The user, in tests: what a session would say. */
export const USER_HEADER = 'x-user'

export function createBridgedBackend(
  server: TestServer,
  options: Partial<TaskBridgeOptions> = {},
  clientOptions: BackendOptions = {},
): BridgedBackend {
  const items = new Map<string, string>()
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    keys: () => [...items.keys()],
  }
  const requests: BackendRequest[] = []
  let backend = startProcess()

  function startProcess() {
    const machine = server.browser.openPage()
    const environment = { ...machine.environment, locks: undefined, channel: undefined }
    const clients = new Map<string, TaskClient>()
    const clientOf = (user: string) => {
      const known = clients.get(user)
      if (known !== undefined) return known
      const client = createTaskClient({ url: server.url, storage, scope: user, environment, ...clientOptions } as never)
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
    return { machine, bridge, clientOf, life: new AbortController() }
  }

  async function log(request: Request): Promise<void> {
    const { method, headers } = request
    const body = method === 'POST' ? JSON.parse(await request.clone().text()) : undefined
    requests.push({ method, lastEventId: headers.get('last-event-id'), body })
  }

  function openNetwork(userOf: () => string | undefined) {
    let isCut = false
    let lost = 0
    let open = new AbortController()

    async function send(init: RequestInit): Promise<Response> {
      if (isCut) throw new TypeError('fetch failed')
      const user = userOf()
      const signals = [open.signal, backend.life.signal, ...(init.signal ? [init.signal] : [])]
      const headers = {
        ...(init.headers as Record<string, string>),
        ...(user !== undefined && { [USER_HEADER]: user }),
      }
      const request = new Request(BRIDGE_URL, { ...init, headers, signal: AbortSignal.any(signals) })
      await log(request)
      const response = await backend.bridge.fetch(request)
      if (init.method === 'POST' && lost > 0) {
        lost -= 1
        throw new TypeError('fetch failed')
      }
      return response
    }

    return {
      send,
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
    }
  }

  return {
    clientOf: (user) => backend.clientOf(user),
    get bridge() {
      return backend.bridge
    },
    requests,
    count: (type) => requests.filter(({ body }) => body?.action.type === type).length,
    openPage: (user = () => 'ada', pageOptions = {}) => {
      const page = server.browser.openPage()
      const network = openNetwork(user)
      const fetch = async (_: string | URL, init: RequestInit = {}) => {
        return network.send(init)
      }
      const client = createPageClient({ url: BRIDGE_URL, environment: page.environment, fetch, ...pageOptions })
      return { client, page, network }
    },
    restart: async () => {
      const before = backend
      await before.machine.crash()
      backend = startProcess()
      before.life.abort()
    },
  }
}
