import { inputRequired } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Environment } from '../../src/environment/environment.js'
import { createTaskServer, defineTool } from '../../src/server/index.js'
import {
  createSimulatedBrowser,
  createSimulatedEnvironment,
  type SimulatedBrowser,
  type SimulatedClock,
  type SimulatedEnvironment,
  type SimulatedPage,
} from '../../src/testing/index.js'

/** A form with one box to tick. */
function confirmation(message: string) {
  const requestedSchema = {
    type: 'object' as const,
    properties: { ok: { type: 'boolean' as const } },
    required: ['ok'],
  }
  return { mode: 'form' as const, message, requestedSchema }
}

/** One request as the server saw it. */
export interface LoggedRequest {
  readonly method: string
  /** ms since the start of the test. */
  readonly at: number
}

/** A real MCP server in the memory of the test, with the books it keeps. */
export interface MemoryServer {
  readonly url: string
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  readonly requests: LoggedRequest[]
  /** Requests with this method. */
  count(method: string): number
  /** When the requests with this method came, ms since the start of the test. */
  times(method: string): number[]
}

/** A page and a server that share one simulated clock. */
export interface ServerPage extends MemoryServer {
  readonly page: SimulatedEnvironment
}

/** A browser of any number of pages and a server that share one simulated clock. */
export interface ServerBrowser extends MemoryServer {
  readonly browser: SimulatedBrowser
}

export interface MemoryServerOptions {
  /** Whether the server pushes what happens to tasks. @default false: polls are what most tests look at */
  push?: boolean
}

export function createServerPage(options?: MemoryServerOptions): ServerPage {
  const page = createSimulatedEnvironment()
  return { page, ...createMemoryServer(page, page.environment, options) }
}

export function createServerBrowser(options?: MemoryServerOptions): ServerBrowser {
  const browser: SimulatedBrowser = createSimulatedBrowser({ fetch: (url, init) => server.fetch(url, init) })
  const machine: SimulatedPage = browser.openPage()
  const server = createMemoryServer(browser, machine.environment, options)
  return { browser, ...server }
}

/**
 * A server with `work` (a task; takes `seconds`, says "step n" each second unless `quiet`, ends as
 * `outcome` says), `look` (the same, read-only) and `echo` (answers at once), polled every second.
 */
export function createMemoryServer(
  clock: SimulatedClock,
  timers: Pick<Environment, 'setTimeout' | 'clearTimeout'>,
  { push = false }: MemoryServerOptions = {},
): MemoryServer {
  const startedAt = clock.now()
  const requests: LoggedRequest[] = []
  const server = createTaskServer({
    serverInfo: { name: 'test', version: '1.0.0' },
    clock: { now: clock.now, setTimeout: timers.setTimeout, clearTimeout: timers.clearTimeout },
    pollIntervalMs: 1000,
    push,
    onError: () => {},
    tools: [
      defineTool({
        name: 'work',
        taskSupport: 'optional',
        inputSchema: z.object({
          seconds: z.number(),
          quiet: z.boolean().default(false),
          outcome: z.enum(['success', 'failure', 'tool error']).default('success'),
        }),
        handler: async ({ seconds, quiet, outcome }, ctx) => {
          for (let step = 1; step <= seconds; step++) {
            await ctx.sleep(1000)
            if (!quiet) await ctx.task?.setStatus(`step ${step}`)
          }
          if (outcome === 'failure') throw new Error('broken')
          const isError = outcome === 'tool error'
          return { content: [{ type: 'text', text: outcome }], structuredContent: { seconds }, isError }
        },
      }),
      defineTool({
        name: 'look',
        taskSupport: 'optional',
        annotations: { readOnlyHint: true },
        inputSchema: z.object({ seconds: z.number() }),
        handler: async ({ seconds }, ctx) => {
          await ctx.sleep(seconds * 1000)
          return { content: [{ type: 'text', text: 'seen' }] }
        },
      }),
      defineTool({
        name: 'ask',
        taskSupport: 'required',
        inputSchema: z.object({ questions: z.array(z.string()) }),
        handler: async ({ questions }, ctx) => {
          const answers = await Promise.all(questions.map(async (message) => ctx.task?.elicit(confirmation(message))))
          return { content: [{ type: 'text', text: JSON.stringify(answers) }] }
        },
      }),
      defineTool({
        name: 'ask_early',
        taskSupport: 'required',
        inputSchema: z.object({ message: z.string() }),
        prepare: ({ message }, ctx) =>
          ctx.inputResponses['early'] === undefined
            ? inputRequired({ inputRequests: { early: inputRequired.elicit(confirmation(message)) } })
            : undefined,
        handler: async (_, ctx) => ({ content: [{ type: 'text', text: JSON.stringify(ctx.inputResponses['early']) }] }),
      }),
      defineTool({
        name: 'echo',
        taskSupport: 'forbidden',
        inputSchema: z.object({ text: z.string() }),
        handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
      }),
    ],
  })

  return {
    url: 'http://localhost/mcp',
    requests,
    count: (method) => requests.filter((request) => request.method === method).length,
    times: (method) => requests.filter((request) => request.method === method).map(({ at }) => at),
    fetch: async (url, init) => {
      const request = new Request(url, init)
      const { method } = JSON.parse(await request.clone().text()) as { method: string }
      requests.push({ method, at: clock.now() - startedAt })
      return server.fetch(request)
    },
  }
}
