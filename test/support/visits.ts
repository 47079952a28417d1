import type { TaskClient, TaskClientOptions, TaskClientUrlOptions } from 'taskwire'
import { createSimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { createScriptedServer, TASKS } from './scriptedServer.js'

/** A page and its client. */
export interface Visit {
  readonly page: SimulatedPage
  readonly client: TaskClient
}

/** The capabilities of a server that knows calls by their keys for so many ms. */
export const knowsKeys = (keyTtlMs = 3_600_000) => ({
  tools: {},
  extensions: { [TASKS]: {}, 'dev.taskwire/idempotent-calls': { keyTtlMs } },
})

const KEY_META = 'dev.taskwire/idempotencyKey'

/** One browser, whose pages visit one scripted server, and what that has seen. */
export function createVisits(
  createTaskClient: (options: TaskClientOptions) => TaskClient,
  capabilities?: Record<string, unknown>,
) {
  const browser = createSimulatedBrowser()
  const { local } = browser.storage
  const start = browser.now()
  /** How far the clock was set, which the time that passes knows nothing of. */
  let set = 0
  const passed = () => browser.now() - start - set
  const server = createScriptedServer({ now: passed, ...(capabilities && { capabilities }) })
  const keys = () => Array.from({ length: local.length }, (_, index) => local.key(index) ?? '')

  return {
    browser,
    server,
    start,
    setClock: (ms: number) => {
      set += ms
      browser.setClock(ms)
    },
    open(options: Partial<TaskClientUrlOptions> = {}, page = browser.openPage()): Visit {
      const client = createTaskClient({
        url: 'https://tasks.example/mcp',
        transportOptions: { fetch: server.fetch },
        environment: page.environment,
        ...options,
      })
      return { page, client }
    },
    /** When each request of a method came, in ms that have passed since the browser was opened. */
    times: (method: string) => server.times(method, 0),
    count: (method: string) => server.received(method).length,
    /** By which key the server could know each `tools/call`. */
    callKeys: () =>
      server.received('tools/call').map(({ params }) => (params['_meta'] as Record<string, unknown>)[KEY_META]),
    /** The keys of `localStorage`. */
    keys,
    /** The records in `localStorage`. */
    records: () => keys().map((key) => JSON.parse(local.getItem(key) ?? '')),
    /** Writes the only record that there is as an earlier page may have left it. */
    edit(change: (record: ReturnType<typeof JSON.parse>) => void): void {
      const [key = ''] = keys()
      const record = JSON.parse(local.getItem(key) ?? '')
      change(record)
      local.setItem(key, JSON.stringify(record))
    },
  }
}

/** Calls the tool `report`, by the key `weekly`, without minding that it fails. */
export function startReport({ client }: Visit, args?: Record<string, unknown>) {
  const call = client.startToolCall({ name: 'report', ...(args && { arguments: args }) }, { key: 'weekly' })
  call.result.catch(() => {})
  return call
}
