import type { IncomingMessage } from 'node:http'
import { createTaskClient, type TaskClient } from 'taskwire'
import { createTaskBridge } from 'taskwire/bridge/server'
import { createTaskServer, defineTool } from 'taskwire/server'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import { type HttpRequest, startHttpServer } from '../support/httpServer.js'
import { buildScripts } from './reportApp.js'

/** A backend with the client of each user, before an MCP server that pages cannot reach. */
export interface BridgeApp {
  readonly url: string
  /** What pages have sent. */
  readonly requests: readonly HttpRequest[]
  /** How many streams pages have opened. */
  streams(): number
  /** The keys of the calls that pages have asked for. */
  started(): unknown[]
  /** How often the MCP server was asked to call a tool. */
  readonly toolCalls: number
  /** Lets the report with this key be done. */
  finish(key: string): void
  /** Closes the clients of the backend, as its process does that gets SIGTERM, and starts others with the same records. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** How the news of the backend come to its pages. */
export type Carrier = 'server-sent events' | 'a WebSocket'

/** Serves `bridgePage.ts` to whom `/sign-in?user=…` has signed in, on a free port. */
export async function startBridgeApp(carrier: Carrier = 'server-sent events'): Promise<BridgeApp> {
  const scripts = await buildScripts({ bridge: 'test/browser/bridgePage.ts' })
  const done = new EventTarget()
  const isDone = (key: string) =>
    new Promise<void>((resolve) => done.addEventListener(key, () => resolve(), { once: true }))
  const mcp = createTaskServer({
    serverInfo: { name: 'reports', version: '1.0.0' },
    pollIntervalMs: 100,
    tools: [
      defineTool({
        name: 'report',
        taskSupport: 'required',
        inputSchema: z.object({ key: z.string() }),
        handler: async ({ key }, ctx) => {
          await ctx.progress('adding up')
          await isDone(key)
          return { content: [{ type: 'text', text: `report ${key}` }] }
        },
      }),
      defineTool({
        name: 'ask',
        taskSupport: 'required',
        inputSchema: z.object({}),
        handler: async (_, ctx) => {
          const schema = { type: 'object' as const, properties: { ok: { type: 'boolean' as const } } }
          const { action } = await ctx.elicit({ mode: 'form', message: 'Sure?', requestedSchema: schema })
          return { content: [{ type: 'text', text: action }] }
        },
      }),
    ],
  })
  let toolCalls = 0
  const items = new Map<string, string>()
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    keys: () => [...items.keys()],
  }

  function startProcess() {
    const clients = new Map<string, TaskClient>()
    const clientOf = (user: string) => {
      const known = clients.get(user)
      if (known !== undefined) return known
      const fetch = (url: string | URL, init?: RequestInit) => {
        if (String(init?.body).includes('"tools/call"')) toolCalls += 1
        return mcp.fetch(new Request(url, init))
      }
      const client = createTaskClient({
        url: 'http://mcp.internal/mcp',
        scope: user,
        storage,
        transportOptions: { fetch },
      })
      clients.set(user, client)
      return client
    }
    const bridge = createTaskBridge({
      clientOf: ({ headers }) => {
        const user = /user=(\w+)/.exec(headers.get('cookie') ?? '')?.[1]
        return user === undefined ? undefined : clientOf(user)
      },
      allow: { tools: ['report', 'ask'] },
    })
    return { bridge, stop: () => Promise.all([...clients.values()].map((client) => client.close())) }
  }

  let backend = startProcess()
  const http = await startHttpServer({
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/api/calls') return backend.bridge.fetch(request)
      if (pathname === '/sign-in') {
        const headers = {
          location: '/',
          'set-cookie': `user=${searchParams.get('user')}; HttpOnly; SameSite=Lax; Path=/`,
        }
        return new Response(null, { status: 303, headers })
      }
      const script = scripts.get(pathname)
      const [body, type] = script === undefined ? [pageOf(carrier), 'html'] : [script, 'javascript']
      return new Response(body, { headers: { 'content-type': `text/${type}; charset=utf-8` } })
    },
  })
  let opened = 0
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 })
  http.onUpgrade((request, socket, head) => {
    opened += 1
    sockets.handleUpgrade(request, socket, head, (page) => backend.bridge.openSocket(requestOf(request), page))
  })
  const toBridge = () => http.requests.filter(({ headers }) => headers.get('accept') === 'text/event-stream')
  return {
    url: new URL('/', http.url).href,
    requests: http.requests,
    streams: () => toBridge().length + opened,
    started: () =>
      http.requests.flatMap(({ body }) => {
        const { action } = body as { action?: { type: string; key: string } }
        return action?.type === 'start' ? [action.key] : []
      }),
    get toolCalls() {
      return toolCalls
    },
    finish: (key) => void done.dispatchEvent(new Event(key)),
    restart: async () => {
      const before = backend
      backend = startProcess()
      await before.stop()
    },
    close: async () => {
      await backend.stop()
      await mcp.close()
      for (const page of sockets.clients) page.terminate()
      await http.close()
    },
  }
}

const pageOf = (carrier: Carrier) =>
  `<!doctype html><title>Reports</title><body data-carrier="${carrier}"><script type="module" src="/bridge.js"></script>`

const requestOf = ({ url = '', headers }: IncomingMessage) =>
  new Request(new URL(url, `http://${headers.host}`), { headers: headers as Record<string, string> })
