import { z } from 'zod'
import { createTaskServer, defineTool } from '../../src/server/index.js'
import { createSimulatedEnvironment, type SimulatedEnvironment } from '../../src/testing/index.js'

/** One request as the server saw it. */
export interface LoggedRequest {
  readonly method: string
  /** ms since the page was opened. */
  readonly at: number
}

/** A page and a real MCP server that share one simulated clock, with nothing but memory between them. */
export interface ServerPage {
  readonly page: SimulatedEnvironment
  readonly url: string
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  readonly requests: LoggedRequest[]
  /** Requests with this method. */
  count(method: string): number
}

/**
 * A server with `work` (a task; takes `seconds`, says "step n" each second unless `quiet`, ends as `outcome` says) and
 * `echo` (answers at once), polled every second.
 */
export function createServerPage(): ServerPage {
  const page = createSimulatedEnvironment()
  const { environment } = page
  const openedAt = page.now()
  const requests: LoggedRequest[] = []
  const server = createTaskServer({
    serverInfo: { name: 'test', version: '1.0.0' },
    clock: { now: page.now, setTimeout: environment.setTimeout, clearTimeout: environment.clearTimeout },
    pollIntervalMs: 1000,
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
        name: 'echo',
        taskSupport: 'forbidden',
        inputSchema: z.object({ text: z.string() }),
        handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
      }),
    ],
  })

  return {
    page,
    url: 'http://localhost/mcp',
    requests,
    count: (method) => requests.filter((request) => request.method === method).length,
    fetch: async (url, init) => {
      const request = new Request(url, init)
      const { method } = JSON.parse(await request.clone().text()) as { method: string }
      requests.push({ method, at: page.now() - openedAt })
      return server.fetch(request)
    },
  }
}
