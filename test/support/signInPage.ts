import type { FetchLike } from '@modelcontextprotocol/client'
import { createTaskClient, type TaskClient, type TaskClientUrlOptions } from 'taskwire'
import { type BrowserAuthProviderOptions, browserAuthProvider } from 'taskwire/auth'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { vi } from 'vitest'
import { created, createScriptedServer, type ScriptedServer, snapshot } from './scriptedServer.js'
import { createTokenServer, type TokenServer } from './tokenServer.js'

const SERVER_URL = 'https://tasks.example/mcp'

/** Pages that sign in to a scripted server. The authorization server can be held back, and its responses changed. */
export interface SignInWorld {
  readonly browser: SimulatedBrowser
  readonly server: ScriptedServer
  readonly tokens: TokenServer
  readonly fetch: FetchLike
  /** Called before each request; the request is sent when what it returns has resolved. */
  hold: (path: string, body: string) => Promise<void> | undefined
  /** Called with each response. */
  change: (path: string, response: Response) => Response | Promise<Response>
  open(
    page?: SimulatedPage,
    options?: Partial<BrowserAuthProviderOptions>,
    more?: Partial<TaskClientUrlOptions>,
  ): TaskClient
  /** Waits for work that takes time of the page. */
  within<T>(work: Promise<T>): Promise<T>
  /** What became of the work after this time. */
  outcomeAfter(ms: number, work: Promise<unknown>): Promise<'pending' | 'resolved' | { readonly error: Error }>
  /** Where the user was sent, the newest last. */
  visits(): readonly URL[]
  /** The callback that the authorization server leads back to. */
  callback(to?: URL, answer?: string): string
  signIn(client: TaskClient): Promise<void>
  /** What the storages of a page have, by the end of the name. */
  kept(page: SimulatedPage, name: 'tokens' | 'client' | 'flow'): string | undefined
}

export function createSignInWorld(): SignInWorld {
  const browser = createSimulatedBrowser({ turns: 80 })
  const assign = vi.fn<(url: URL) => void>()
  vi.stubGlobal('location', { assign })
  // The SDK says there when a refresh comes to nothing.
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
  const tokens = createTokenServer(server)
  const visits = () => assign.mock.calls.map(([url]) => new URL(String(url)))

  const world: SignInWorld = {
    browser,
    server,
    tokens,
    hold: () => undefined,
    change: (_, response) => response,
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input))
      await world.hold(pathname, String(init?.body ?? ''))
      return world.change(pathname, await tokens.fetch(input, init))
    },
    open: (page = browser.openPage(), options = {}, more = {}) =>
      createTaskClient({
        url: SERVER_URL,
        authProvider: browserAuthProvider({ redirectUrl: '/callback', ...options }),
        transportOptions: { fetch: world.fetch },
        environment: page.environment,
        crossTab: false,
        ...more,
      }),
    within: async (work) => {
      work.catch(() => {})
      await browser.settle()
      return work
    },
    outcomeAfter: async (ms, work) => {
      let outcome: Awaited<ReturnType<SignInWorld['outcomeAfter']>> = 'pending'
      work.then(
        () => {
          outcome = 'resolved'
        },
        (error: Error) => {
          outcome = { error }
        },
      )
      await browser.advance(ms)
      return outcome
    },
    visits,
    callback: (to = visits().at(-1), answer = 'code=code-secret') => {
      const state = to?.searchParams.get('state')
      return `https://app.example/callback?${answer}&state=${state}&iss=${encodeURIComponent(String(to?.origin))}`
    },
    signIn: async (client) => {
      await world.within(client.authorize())
      await world.within(client.finishAuthorization(world.callback()))
    },
    kept: ({ environment }, name) => {
      const storages = (['session', 'local'] as const).map((kind) => environment.storage(kind))
      for (const storage of storages) {
        for (let at = 0; at < (storage?.length ?? 0); at++) {
          const key = String(storage?.key(at))
          if (key.endsWith(`:${name}`)) return storage?.getItem(key) ?? undefined
        }
      }
      return undefined
    },
  }
  return world
}
