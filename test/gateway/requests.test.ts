import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { createTaskGateway } from 'taskwire/gateway'
import { createTaskServer, defineTool, type ToolDefinition } from 'taskwire/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import {
  type Json,
  type RpcOptions,
  type RpcResponse,
  readResponse,
  rpcRequest,
  TASKS,
  TASKS_AND_INPUT,
} from '../server/support/rpc.js'
import { startHttpServer } from '../support/httpServer.js'
import { PATIENCE } from '../support/patience.js'
import { created, createScriptedServer, result, snapshot } from '../support/scriptedServer.js'

const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] })
const sure = (who: string) =>
  inputRequired.elicit({ message: `For ${who}?`, requestedSchema: z.object({ ok: z.boolean() }) })
const YES = { action: 'accept', content: { ok: true } }
const who = z.object({ who: z.string() })

/** Tools of a server with tasks, which work outside of them. */
const TOOLS: ToolDefinition[] = [
  defineTool({
    name: 'ask',
    inputSchema: who,
    taskSupport: 'forbidden',
    prepare: ({ who }, { inputResponses }) =>
      inputResponses['sure'] === undefined ? inputRequired({ inputRequests: { sure: sure(who) } }) : undefined,
    handler: ({ who }, { inputResponses }) => text([who, inputResponses['sure']]),
  }),
  defineTool({
    name: 'report',
    inputSchema: z.object({}),
    taskSupport: 'forbidden',
    async handler(_, { progress, sleep }) {
      await progress(1, 4, 'Counting')
      await sleep(60_000)
      return text('done')
    },
  }),
  defineTool({
    name: 'echo',
    inputSchema: z.object({}),
    taskSupport: 'forbidden',
    handler: (_, { meta, clientCapabilities }) => text({ meta, clientCapabilities }),
  }),
  defineTool({
    name: 'ask_in_task',
    inputSchema: z.object({}),
    taskSupport: 'required',
    handler: async (_, { elicit }) => text(await elicit({ message: 'Sure?', requestedSchema: z.object({}) })),
  }),
]

function withTasks() {
  return createTaskServer({ serverInfo: { name: 'behind', version: '1' }, pollIntervalMs: 50, tools: TOOLS })
}

/** The same tools by the SDK alone. */
function withoutTasks() {
  return createMcpHandler(() => {
    const server = new McpServer({ name: 'behind', version: '1' }, { capabilities: { tools: {} } })
    server.registerTool('ask', { inputSchema: who }, ({ who }, { mcpReq: { inputResponses } }) =>
      inputResponses?.['sure'] === undefined
        ? inputRequired({ inputRequests: { sure: sure(who) } })
        : text([who, inputResponses['sure']]),
    )
    server.registerTool('report', {}, async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken ?? ''
      const params = { progressToken, progress: 1, total: 4, message: 'Counting' }
      await mcpReq.notify({ method: 'notifications/progress', params })
      return new Promise<never>((_, reject) => mcpReq.signal.addEventListener('abort', reject))
    })
    server.registerTool('echo', {}, ({ mcpReq }) => {
      const { progressToken: _, ...meta } = mcpReq._meta ?? {}
      return text({ meta })
    })
    return server
  })
}

const SERVERS: [string, () => { fetch: (request: Request) => Promise<Response>; close: () => unknown }][] = [
  ['with tasks', withTasks],
  ['without tasks', withoutTasks],
]

/** A gateway in front of it, in real time. */
async function startGateway(create: (typeof SERVERS)[number][1]) {
  const server = create()
  const http = await startHttpServer(server)
  const gateway = createTaskGateway({ url: http.url, afterMs: 600_000, tasks: ['report', 'pay'], onError: () => {} })
  onTestFinished(async () => {
    await gateway.close()
    await http.close()
    await server.close()
  })
  const rpc = async (method: string, params: Json, rest?: RpcOptions) =>
    readResponse(await gateway.fetch(rpcRequest(method, params, rest)))
  return {
    rpc,
    http,
    call: (name: string, args: Json = {}, rest?: RpcOptions) => rpc('tools/call', { name, arguments: args }, rest),
    shows: (taskId: unknown, shown: Json) =>
      vi.waitFor(async () => expect((await rpc('tasks/get', { taskId })).result).toMatchObject(shown), PATIENCE),
  }
}

function textOf({ result, error }: RpcResponse): string {
  expect(error).toBeUndefined()
  const [first] = (result?.['content'] ?? []) as { text: string }[]
  return first?.text ?? ''
}

describe.each(SERVERS)('a server of 2026-07-28 %s behind', (_, create) => {
  it('asks outside of tasks, about the call that it means, and gets the response', async () => {
    const { call, rpc, shows } = await startGateway(create)
    const tasks = await Promise.all(['Ann', 'Bob'].map((who) => call('ask', { who })))
    const [ann, bob] = tasks.map(({ result }) => result?.['taskId'])
    for (const [name, taskId] of Object.entries({ Bob: bob, Ann: ann })) {
      const asked = { 'elicitation-1': { params: { message: `For ${name}?` } } }
      await shows(taskId, { status: 'input_required', inputRequests: asked })
      await rpc('tasks/update', { taskId, inputResponses: { 'elicitation-1': YES } })
      await shows(taskId, { status: 'completed', result: text([name, YES]) })
    }
  })

  it('asks a client without tasks in a round of its call', async () => {
    const { call, rpc } = await startGateway(create)
    const capabilities = { elicitation: { form: {} } }
    const { result } = await call('ask', { who: 'Ann' }, { capabilities })
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { 'elicitation-1': {} } })
    const params = {
      name: 'ask',
      arguments: { who: 'Ann' },
      inputResponses: { 'elicitation-1': YES },
      requestState: result?.['requestState'],
    }
    expect((await rpc('tools/call', params, { capabilities })).result).toMatchObject(text(['Ann', YES]))
  })

  it.each([
    ['with tasks', TASKS],
    ['without tasks', {}],
  ])('gets no call through that needs a capability, of a client %s that lacks it', async (__, capabilities) => {
    const { call } = await startGateway(create)
    const { status, error } = await call('ask', { who: 'Ann' }, { capabilities })
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: {} } } })
    expect(status).toBe(400)
  })

  it('notifies progress, which the task has', async () => {
    const { call, shows } = await startGateway(create)
    const { result } = await call('report')
    await shows(result?.['taskId'], { status: 'working', statusMessage: 'Counting (1 of 4)' })
  })

  it('gets _meta of the call, without what MCP and this package reserve', async () => {
    const { call } = await startGateway(create)
    const passed = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'com.example/page': { id: 7 },
    }
    const answer = await call(
      'echo',
      {},
      {
        meta: {
          ...passed,
          progressToken: 'of the page',
          'io.modelcontextprotocol/logLevel': 'debug',
          'dev.taskwire/idempotencyKey': 'a key that is of the page',
        },
      },
    )
    const said = textOf(answer)
    const { meta } = JSON.parse(said) as { meta: Json }
    expect(meta).toMatchObject(passed)
    const kept = Object.keys(meta).filter((key) => !key.startsWith('io.modelcontextprotocol/'))
    expect(kept.sort()).toEqual(Object.keys(passed).sort())
    expect(said).not.toContain('of the page')
    expect(said).not.toContain('debug')
  })
})

describe('a server of 2026-07-28 with tasks behind', () => {
  it('gets the capabilities of the client that it can be asked with, for each call', async () => {
    const { call } = await startGateway(withTasks)
    for (const [capabilities, expected] of [
      [TASKS, {}],
      [TASKS_AND_INPUT, { elicitation: { form: {}, url: {} }, sampling: { tools: {} } }],
    ]) {
      const said = textOf(await call('echo', {}, { capabilities: capabilities as Json }))
      const { clientCapabilities } = JSON.parse(said) as { clientCapabilities: Json }
      expect(clientCapabilities).toEqual({ ...expected, ...TASKS })
    }
  })

  it('refuses a call whose task needs a capability that the client lacks', async () => {
    const { call } = await startGateway(withTasks)
    const { status, error } = await call('ask_in_task', {}, { capabilities: TASKS })
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: {} } } })
    expect(status).toBe(400)
  })

  it('that asks in a task what the client has not declared all the same, has failed and cancelled it', async () => {
    const server = createScriptedServer({ tools: [{ name: 'pay', inputSchema: { type: 'object' } }] })
    server.on('tools/call', created())
    const params = { mode: 'url', message: 'Pay', url: 'https://pay.example' }
    const inputRequests = { pay: { method: 'elicitation/create', params } }
    server.on('tasks/get', snapshot({ status: 'input_required', inputRequests }))
    server.on('tasks/cancel', result({}))
    const { call, shows } = await startGateway(() => ({
      fetch: async (request) => {
        const { url, method, headers } = request
        return server.fetch(url, { method, headers, body: await request.text() })
      },
      close() {},
    }))
    const { result: task } = await call('pay', {}, { capabilities: TASKS })
    await shows(task?.['taskId'], { status: 'failed', error: { code: -32021 } })
    expect(server.received('tasks/cancel')).toHaveLength(1)
  })

  it('sees its task asked for with all capabilities, though a later call had fewer', async () => {
    const { call, rpc, shows } = await startGateway(withTasks)
    const { result } = await call('ask_in_task')
    await call('echo', {}, { capabilities: TASKS })
    await shows(result?.['taskId'], { status: 'input_required', inputRequests: { 'elicitation-1': {} } })
    const inputResponses = { 'elicitation-1': { action: 'accept', content: {} } }
    await rpc('tasks/update', { taskId: result?.['taskId'], inputResponses })
    await shows(result?.['taskId'], { status: 'completed' })
  })
})
