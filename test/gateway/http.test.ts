import { StreamableHTTPClientTransport, type StreamableHTTPClientTransportOptions } from '@modelcontextprotocol/client'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { createTaskGateway, type GatewayCaller, type TaskGatewayOptions } from 'taskwire/gateway'
import { createTaskServer, defineTool } from 'taskwire/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { startLegacyServer } from '../eras/support/legacyServer.js'
import { createManualClock, settle } from '../server/support/manualClock.js'
import { type Json, type RpcOptions, readResponse, rpcRequest } from '../server/support/rpc.js'
import { startHttpServer } from '../support/httpServer.js'
import { PATIENCE } from '../support/patience.js'

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

/** A gateway in front of a URL, in real time. */
function startGateway(url: string, options: Partial<TaskGatewayOptions> = {}) {
  const errors: unknown[] = []
  const gateway = createTaskGateway({ url, afterMs: 2000, onError: (error) => errors.push(error), ...options })
  onTestFinished(() => gateway.close())
  const rpc = async (method: string, params: Json, rest?: RpcOptions) =>
    readResponse(await gateway.fetch(rpcRequest(method, params, rest)))
  const ended = async (taskId: string) => {
    for (;;) {
      const { result } = await rpc('tasks/get', { taskId })
      if (result?.['status'] !== 'working') return result
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return {
    errors,
    rpc,
    ended,
    call: (name: string, args: Json = {}, rest?: RpcOptions) => rpc('tools/call', { name, arguments: args }, rest),
  }
}

/** A server of 2026-07-28 behind, with tasks. */
async function startBehind() {
  const ask = defineTool({
    name: 'ask',
    inputSchema: z.object({ who: z.string() }),
    taskSupport: 'optional',
    async handler({ who }, { elicit }) {
      const answer = await elicit({ message: `For ${who}?`, requestedSchema: z.object({ ok: z.boolean() }) })
      return text(`${who} ${answer.content?.ok}`)
    },
  })
  const stopped = vi.fn()
  const wait = defineTool({
    name: 'wait',
    inputSchema: z.object({}),
    taskSupport: 'required',
    async handler(_, { progress, signal }) {
      await progress(1, 2, 'half')
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      stopped()
      throw signal.reason
    },
  })
  const server = createTaskServer({
    serverInfo: { name: 'behind', version: '1' },
    pollIntervalMs: 50,
    tools: [ask, wait],
  })
  const http = await startHttpServer(server)
  onTestFinished(async () => {
    await http.close()
    await server.close()
  })
  return { ...http, stopped }
}

/** A server behind without tasks. The event stream with its first response breaks off after one message. */
async function startBreaking(revision: string): Promise<string> {
  let runs = 0
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'behind', version: '1' })
    for (const [name, readOnlyHint] of [
      ['lost', false],
      ['lost_reader', true],
    ] as const) {
      server.registerTool(name, { annotations: { readOnlyHint } }, async ({ mcpReq }) => {
        runs += 1
        if (runs > 1) return text(`run ${runs}`)
        const progressToken = mcpReq._meta?.progressToken ?? ''
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } })
        return new Promise((_, reject) => mcpReq.signal.addEventListener('abort', reject))
      })
    }
    return server
  })
  const http = await startHttpServer({
    async fetch(request) {
      if (revision === '2025-11-25' && request.headers.get('mcp-method') !== null)
        return new Response(null, { status: 400 })
      const response = await handler.fetch(request)
      if (response.headers.get('content-type') !== 'text/event-stream') return response
      const reader = response.body?.getReader()
      const cut = new ReadableStream<Uint8Array>({
        async start(controller) {
          const first = await reader?.read()
          if (first?.value !== undefined) controller.enqueue(first.value)
          controller.close()
        },
      })
      return new Response(cut, response)
    },
  })
  onTestFinished(() => http.close())
  return http.url
}

describe.each(['2026-07-28', '2025-11-25'])('a server of %s whose response breaks off', (revision) => {
  it('has failed a call that may have run', async () => {
    const { call, errors } = startGateway(await startBreaking(revision))
    expect((await call('lost')).error).toMatchObject({ message: expect.stringContaining('may have run in part') })
    expect(errors).toMatchObject([{ message: expect.stringContaining('stopped during a call of the tool "lost"') }])
  })

  it('gets a call again that only reads', async () => {
    const { call } = startGateway(await startBreaking(revision))
    expect((await call('lost_reader')).result).toMatchObject(text('run 2'))
  })
})

it('a server that cannot be reached for a moment gets a call again that only reads, after pauses', async () => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'behind', version: '1' })
    server.registerTool('look', { annotations: { readOnlyHint: true } }, () => text('there'))
    return server
  })
  let calls = 0
  const unsteady = async (url: string | URL, init?: RequestInit) => {
    const request = new Request(url, init)
    if (request.headers.get('mcp-method') === 'tools/call') calls += 1
    if (calls === 1 || calls === 2) throw new TypeError('fetch failed')
    return handler.fetch(request)
  }
  const clock = createManualClock()
  const gateway = createTaskGateway({
    transport: () => new StreamableHTTPClientTransport(new URL('http://behind.example/mcp'), { fetch: unsteady }),
    onError: () => {},
    clock,
  })
  onTestFinished(() => gateway.close())
  const answer = gateway.fetch(rpcRequest('tools/call', { name: 'look', arguments: {} }))
  await vi.waitFor(() => expect(calls).toBe(1), PATIENCE)
  await settle()
  expect(calls).toBe(1)
  await clock.advance(100)
  expect(calls).toBe(2)
  await clock.advance(200)
  expect((await readResponse(await answer)).result).toMatchObject(text('there'))
})

describe('a server of 2026-07-28 behind a URL', () => {
  it('asks about the call that it means, though another one came later', async () => {
    const { url } = await startBehind()
    const { call, rpc, ended } = startGateway(url)
    const [ann, bob] = await Promise.all(['Ann', 'Bob'].map((who) => call('ask', { who })))
    for (const [who, asked] of Object.entries({ Ann: ann, Bob: bob })) {
      const taskId = String(asked?.result?.['taskId'])
      const found = await ended(taskId)
      expect(found).toMatchObject({ inputRequests: { 'elicitation-1': { params: { message: `For ${who}?` } } } })
      const answer = { action: 'accept', content: { ok: true } }
      await rpc('tasks/update', { taskId, inputResponses: { 'elicitation-1': answer } })
      expect(await ended(taskId)).toMatchObject({ status: 'completed', result: text(`${who} true`) })
    }
  })

  it('may have tasks, which are followed and cancelled', async () => {
    const { url, stopped } = await startBehind()
    const { call, rpc } = startGateway(url)
    const taskId = String((await call('wait')).result?.['taskId'])
    const shows = (shown: Json) =>
      vi.waitFor(async () => expect((await rpc('tasks/get', { taskId })).result).toMatchObject(shown), PATIENCE)
    await shows({ status: 'working', statusMessage: 'half (1 of 2)' })
    await rpc('tasks/cancel', { taskId })
    await shows({ status: 'cancelled' })
    await vi.waitFor(() => expect(stopped).toHaveBeenCalledOnce(), PATIENCE)
  })

  it('gets the headers of the gateway, and nothing of the page', async () => {
    const { url, requests } = await startBehind()
    const { rpc } = startGateway(url, { headers: { authorization: 'Bearer of the gateway', 'x-team': 'red' } })
    const headers = { authorization: 'Bearer of the page', cookie: 'session=1', 'x-page': 'yes' }
    await rpc('tools/list', {}, { headers })
    for (const request of requests) {
      expect(request.headers.get('authorization')).toBe('Bearer of the gateway')
      expect(request.headers.get('x-team')).toBe('red')
      expect(request.headers.get('cookie')).toBeNull()
      expect(request.headers.get('x-page')).toBeNull()
    }
    expect(requests.length).toBeGreaterThan(1)
  })
})

describe('a server behind a transport of the app', () => {
  it('gets the token of the page only where that transport sends it', async () => {
    const { url, requests } = await startBehind()
    const gateway = createTaskGateway({
      authenticate: () => ({ token: 'of the page', clientId: 'page', scopes: [], extra: { sub: 'ann' } }),
      transport: ({ owner, authInfo, ...others }) => {
        expect([typeof owner, others]).toEqual(['string', {}])
        const headers = { authorization: `Bearer ${authInfo?.token}` }
        return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
      },
    })
    onTestFinished(() => gateway.close())
    const headers = { authorization: 'Bearer of the page', 'x-page': 'yes' }
    await readResponse(await gateway.fetch(rpcRequest('tools/list', {}, { headers })))
    const sent = requests.map((request) => [request.headers.get('authorization'), request.headers.get('x-page')])
    expect(sent.length).toBeGreaterThan(1)
    expect(new Set(sent.map(String))).toEqual(new Set(['Bearer of the page,']))
  })
})

/** Servers behind that take one token at a time. */
const guarded = {
  'without tasks': () =>
    createMcpHandler(() => {
      const server = new McpServer({ name: 'behind', version: '1' })
      server.registerTool('look', {}, () => text('there'))
      return server
    }),
  'with tasks': () => {
    const look = defineTool({
      name: 'look',
      inputSchema: z.object({}),
      taskSupport: 'optional',
      handler: () => text('there'),
    })
    return createTaskServer({ serverInfo: { name: 'behind', version: '1' }, tools: [look] })
  },
}

const sentByHeader = ({ authInfo }: GatewayCaller): StreamableHTTPClientTransportOptions => ({
  requestInit: { headers: { authorization: `Bearer ${authInfo?.token}` } },
})

describe.each(Object.entries(guarded))(
  'a server %s behind a transport that sends the token of the page',
  (_, start) => {
    /** A gateway before a server behind that accepts one token, whose page sends the token that a test says. */
    function startGuarded(authOf: (caller: GatewayCaller) => StreamableHTTPClientTransportOptions = sentByHeader) {
      const behind = start()
      const accepted = { token: 'first' }
      const sent: (string | null)[] = []
      const guard = async (url: string | URL, init?: RequestInit) => {
        const request = new Request(url, init)
        const authorization = request.headers.get('authorization')
        sent.push(authorization)
        return authorization === `Bearer ${accepted.token}`
          ? behind.fetch(request)
          : new Response(null, { status: 401 })
      }
      let opened = 0
      const gateway = createTaskGateway({
        authenticate: ({ headers }) => {
          const token = headers.get('authorization')?.slice('Bearer '.length) ?? ''
          return { token, clientId: 'page', scopes: [], extra: { sub: 'ann' } }
        },
        transport(caller) {
          opened += 1
          const url = new URL('http://behind.example/mcp')
          return new StreamableHTTPClientTransport(url, { fetch: guard, ...authOf(caller) })
        },
        onError: () => {},
        clock: createManualClock(),
      })
      onTestFinished(() => gateway.close())
      const look = async (token: string) => {
        const headers = { authorization: `Bearer ${token}` }
        return readResponse(await gateway.fetch(rpcRequest('tools/call', { name: 'look', arguments: {} }, { headers })))
      }
      return { accepted, sent, look, opened: () => opened }
    }

    it('gets the new one once it refuses the old one', async () => {
      const { accepted, sent, look, opened } = startGuarded()
      expect((await look('first')).error).toBeUndefined()
      accepted.token = 'second'
      expect((await look('second')).error).toBeUndefined()
      expect(sent.at(-1)).toBe('Bearer second')
      expect(opened()).toBe(2)
    })

    it('gets the newest one over the same connection where the transport asks for it with each request', async () => {
      const { accepted, sent, look, opened } = startGuarded((caller) => ({
        authProvider: { token: async () => caller.authInfo?.token },
      }))
      await look('first')
      accepted.token = 'second'
      expect((await look('second')).error).toBeUndefined()
      expect(sent.at(-1)).toBe('Bearer second')
      expect(opened()).toBe(1)
    })

    it('has refused a call whose token it refuses', async () => {
      const { accepted, sent, look } = startGuarded()
      await look('first')
      accepted.token = 'second'
      const before = sent.length
      expect((await look('first')).error).toBeDefined()
      expect(sent.slice(before)).toEqual(['Bearer first'])
    })
  },
)

describe('a server of 2025-11-25 behind a URL', () => {
  it('has a tool that can only be called as a task', async () => {
    const legacy = await startLegacyServer()
    onTestFinished(() => legacy.close())
    const { call, rpc, ended } = startGateway(legacy.url)
    const asked = await call('work', { outcome: 'input', steps: 2 })
    const taskId = String(asked.result?.['taskId'])
    const found = await ended(taskId)
    expect(found).toMatchObject({ status: 'input_required' })
    const [key = ''] = Object.keys(found?.['inputRequests'] as Json)
    await rpc('tasks/update', { taskId, inputResponses: { [key]: { action: 'accept', content: { ok: true } } } })
    expect(await ended(taskId)).toMatchObject({ status: 'completed', result: text('accept {"ok":true}') })
    expect((await call('work', { outcome: 'failure', steps: 0 })).error).toMatchObject({ message: 'Out of paper' })
  })

  it('gets a new session after a restart also for a tool that is called as a task', async () => {
    const legacy = await startLegacyServer()
    onTestFinished(() => legacy.close())
    const { call, rpc, errors } = startGateway(legacy.url)
    const work = { outcome: 'success', steps: 2 }
    await rpc('tools/list', {})
    for (let restart = 1; restart <= 2; restart += 1) {
      legacy.restart()
      const { result, error } = await call('work', work)
      expect(error).toBeUndefined()
      expect(result).toMatchObject(text('done'))
      expect(legacy.count('tasks/result')).toBe(restart)
    }
    expect(errors).toEqual([])
  })

  it('is called, asks for input, and gets a new session after a restart', async () => {
    const legacy = await startLegacyServer()
    onTestFinished(() => legacy.close())
    const { call, rpc, ended } = startGateway(legacy.url)
    const { result } = await rpc('tools/list', {})
    expect(result?.['tools']).toMatchObject([
      { name: 'echo' },
      { name: 'ask_plainly' },
      { name: 'work' },
      { name: 'work_optionally' },
    ])
    expect((await call('echo', { text: 'hi' })).result).toMatchObject(text('hi'))
    legacy.restart()
    expect((await call('echo', { text: 'again' })).result).toMatchObject(text('again'))
    const asked = await call('ask_plainly')
    const taskId = String(asked.result?.['taskId'])
    expect(await ended(taskId)).toMatchObject({ status: 'input_required' })
    const answer = { action: 'accept', content: { ok: true } }
    await rpc('tasks/update', { taskId, inputResponses: { 'elicitation-1': answer } })
    expect(await ended(taskId)).toMatchObject({ status: 'completed', result: text('{"ok":true}') })
  })
})
