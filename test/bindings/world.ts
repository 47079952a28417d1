import { createTaskClient, type TaskClient } from 'taskwire'
import type { TestServer, TestServerOptions } from 'taskwire/testing'
import { clientKind } from '../support/anyClient.js'
import { BRIDGE_URL, createBridgedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'
import type { Binding, Hook, OptionsOf, Page, ShownBy, View } from './binding.js'

type ResumeOption = Pick<Parameters<typeof createTaskClient>[0], 'resume'>

/** A server, a browser, and the page of an app in one framework. */
export interface World {
  readonly server: TestServer
  /** The client of the page that is open. */
  readonly client: TaskClient
  readonly page: Page
  mount<H extends Hook>(hook: H, options: OptionsOf[H], show?: (shown: ShownBy[H]) => string): View<H>
  act(work: () => unknown): Promise<void>
  /** Lets so much time pass, in ms. */
  advance(ms: number): Promise<void>
  /** Another page of the same browser, without components. */
  openTab(): TaskClient
  /** A client of another server. */
  openElsewhere(): TaskClient
  /** Closes the page as a reload does, and opens it anew. */
  reload(options?: ResumeOption): Promise<void>
  close(): Promise<void>
}

/** A behaviour of all bindings: its name, and what shows it. `server` says how the server differs from the usual one. */
export interface Behaviour {
  readonly name: string
  readonly server?: Omit<TestServerOptions, 'tools'>
  readonly client?: ResumeOption
  /** Why it does not hold for a page whose backend has the client. */
  readonly notOverBridge?: string
  run(world: World): Promise<void>
}

/** A server, and how pages open their client of it: over a backend, in the project that is about that. */
function createPlace(serverOptions: Behaviour['server'], url = BRIDGE_URL) {
  const isBridged = clientKind === 'bridge'
  const server = createWorkServer({ ...serverOptions, ...(isBridged && { browser: { turns: 60 } }) })
  const backend = isBridged ? createBridgedBackend(server) : undefined

  function openClient(options: ResumeOption = {}) {
    if (backend !== undefined) {
      const { client, page } = backend.openPage(undefined, { ...options, url })
      return { client, close: () => page.close() }
    }
    const browserPage = server.browser.openPage()
    const client = createTaskClient({ url: server.url, environment: browserPage.environment, ...options })
    return { client, close: () => browserPage.close() }
  }

  return { server, openClient }
}

export function createWorld(binding: Binding, { server: serverOptions, client: clientOptions }: Behaviour): World {
  const { server, openClient } = createPlace(serverOptions)

  const others: TestServer[] = []
  let open = openClient(clientOptions)
  let page = binding.openPage(open.client)
  const world: World = {
    server,
    get client() {
      return open.client
    },
    get page() {
      return page
    },
    mount: (hook, options, show) => page.mount(hook, options, show),
    act: (work) => page.act(work),
    async advance(ms) {
      for (const each of [server, ...others]) await page.act(() => each.advance(ms))
    },
    openTab: () => openClient().client,
    openElsewhere() {
      const other = createPlace({ url: 'https://elsewhere.example/mcp' }, 'https://elsewhere.example/api/calls')
      others.push(other.server)
      return other.openClient().client
    },
    async reload(options = clientOptions) {
      const before = open
      await page.act(() => before.close())
      await page.close()
      open = openClient(options)
      page = binding.openPage(open.client)
    },
    close: () => page.close(),
  }
  return world
}
