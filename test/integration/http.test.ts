import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { type TaskClient, TaskFailedError, withTasks } from 'taskwire'
import { createTaskServer, defineTool, InMemoryTaskStore, type TaskRecord } from 'taskwire/server'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createTaskClient, itFull } from '../support/anyClient.js'
import { type HttpServer, startHttpServer } from '../support/httpServer.js'
import { PATIENCE } from '../support/patience.js'
import { completed, created, createScriptedServer } from '../support/scriptedServer.js'

const POLL_INTERVAL_MS = 60

const work = defineTool({
  name: 'work',
  taskSupport: 'required',
  inputSchema: z.object({
    steps: z.number().int(),
    outcome: z.enum(['success', 'failure', 'tool error', 'bad output']).default('success'),
  }),
  outputSchema: z.object({ steps: z.number() }),
  handler: async ({ steps, outcome }, ctx) => {
    for (let step = 1; step <= steps; step++) {
      await ctx.sleep(50)
      await ctx.progress(`step ${step} of ${steps}`)
    }
    if (outcome === 'failure') throw new Error('broken')
    const structuredContent = { steps: outcome === 'bad output' ? ('many' as unknown as number) : steps }
    return { content: [{ type: 'text', text: outcome }], structuredContent, isError: outcome === 'tool error' }
  },
})

let http: HttpServer
let client: TaskClient

beforeEach(async () => {
  const server = createTaskServer({
    serverInfo: { name: 'http', version: '1.0.0' },
    tools: [work],
    pollIntervalMs: POLL_INTERVAL_MS,
    push: false,
    onError: () => {},
  })
  http = await startHttpServer(server)
  client = createTaskClient({ url: http.url })
})

afterEach(async () => {
  await client.close()
  await http.close()
})

/** A store that is away for so many reads. */
class AwayStore extends InMemoryTaskStore {
  readsAway = 0

  override async get(taskId: string): Promise<TaskRecord | undefined> {
    if (this.readsAway === 0) return super.get(taskId)
    this.readsAway -= 1
    throw new TypeError('gone')
  }
}

describe('over real HTTP', () => {
  it('a task is followed through an outage of the store of its server', async () => {
    const store = new AwayStore()
    const tool = defineTool({ ...work, handler: () => new Promise<never>(() => {}) })
    const away = createTaskServer({
      serverInfo: { name: 'away', version: '1.0.0' },
      tools: [tool],
      store,
      pollIntervalMs: POLL_INTERVAL_MS,
      push: false,
      onError: () => {},
    })
    const served = await startHttpServer(away)
    const own = createTaskClient({ url: served.url })
    onTestFinished(async () => {
      await own.close()
      await served.close()
    })
    const call = own.startToolCall({ name: 'work', arguments: { steps: 1 } })
    await expect.poll(() => call.getState().phase, PATIENCE).toBe('working')
    const polls = served.count('tasks/get')
    store.readsAway = 3
    await expect.poll(() => served.count('tasks/get') - polls, PATIENCE).toBeGreaterThan(4)
    expect(store.readsAway).toBe(0)
    await expect.poll(() => call.getState(), PATIENCE).toMatchObject({ phase: 'working', network: 'ok' })
    await call.cancel()
  })

  // [TASK-POLL-TO-THE-END]
  it('a task goes from tools/call to its result', async () => {
    const call = client.startToolCall({ name: 'work', arguments: { steps: 5 } })
    const messages = new Set<string | undefined>()
    call.subscribe(({ task }) => messages.add(task?.statusMessage))
    await expect(call.result).resolves.toMatchObject({ structuredContent: { steps: 5 } })
    expect(http.count('tools/call')).toBe(1)
    expect(http.count('tasks/get')).toBeGreaterThan(1)
    expect([...messages].filter((message) => message?.startsWith('step'))).not.toEqual([])
  })

  // [TASK-POLL-INTERVAL]
  it('polls are never earlier than asked: an interval after the last response', async () => {
    await client.callTool({ name: 'work', arguments: { steps: 10 } })
    const exchanges = http.requests.filter(({ method }) => method === 'tools/call' || method === 'tasks/get')
    const gaps = exchanges.slice(1).map((poll, index) => poll.arrivedAt - (exchanges[index]?.answeredAt ?? 0))
    expect(gaps.length).toBeGreaterThan(3)
    // The clocks of timer and measurement differ by less than a millisecond.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(POLL_INTERVAL_MS - 1)
  })

  // [TASK-NAME-HEADER]
  it('every tasks/* request carries the routing headers and the nested declaration, on an id of its own', async () => {
    await client.callTool({ name: 'work', arguments: { steps: 2 } })
    const polls = http.requests.filter(({ method }) => method === 'tasks/get')
    for (const { headers, body } of polls) {
      expect(headers.get('mcp-method')).toBe('tasks/get')
      expect(headers.get('mcp-name')).toBe(body.params?.['taskId'])
      expect(headers.get('mcp-protocol-version')).toBe('2026-07-28')
      expect(body.params?.['_meta']).toMatchObject({
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
      })
      expect(body.params?.['_meta']).not.toHaveProperty('io.modelcontextprotocol/tasks')
    }
    expect(new Set(http.requests.map(({ body }) => body.id)).size).toBe(http.requests.length)
    const sent = JSON.stringify(http.requests.map(({ body }) => body))
    expect(sent.replaceAll('dev.taskwire/idempotencyKey', '')).not.toContain('dev.taskwire')
  })

  it('a failed task is a TaskFailedError, a tool error a result', async () => {
    await expect(client.callTool({ name: 'work', arguments: { steps: 1, outcome: 'failure' } })).rejects.toThrow(
      TaskFailedError,
    )
    await expect(
      client.callTool({ name: 'work', arguments: { steps: 1, outcome: 'tool error' } }),
    ).resolves.toMatchObject({ isError: true })
  })

  it('cancel() stops the work on the server', async () => {
    const call = client.startToolCall({ name: 'work', arguments: { steps: 1000 } })
    await new Promise<void>((resolve) => {
      const stop = call.subscribe((state) => {
        if (state.phase !== 'working') return
        stop()
        resolve()
      })
    })
    await call.cancel()
    await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
    expect(http.count('tasks/cancel')).toBe(1)
  })

  it('callTool() of a plain SDK client returns the final result, with progress on the way', async () => {
    const sdk = new Client({ name: 'app', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    await sdk.connect(withTasks(new StreamableHTTPClientTransport(new URL(http.url))))
    const progress: number[] = []
    // Far below the duration of the task: each poll has to keep the call alive.
    const options = {
      timeout: 3000,
      resetTimeoutOnProgress: true,
      onprogress: (step: { progress: number }) => progress.push(step.progress),
    }
    await expect(sdk.callTool({ name: 'work', arguments: { steps: 120 } }, options)).resolves.toMatchObject({
      structuredContent: { steps: 120 },
    })
    expect(progress.length).toBeGreaterThan(2)
    expect(progress).toEqual([...progress].sort((a, b) => a - b))
    await expect(sdk.callTool({ name: 'work', arguments: { steps: 1, outcome: 'failure' } })).rejects.toThrow(
      TaskFailedError,
    )
    await sdk.close()
  })

  itFull('the SDK validates the output of a task as that of any other call', async () => {
    const liar = createTaskClient({ url: http.url, transportOptions: { fetch: createLyingServer().fetch } })
    await liar.listTools()
    await expect(liar.callTool({ name: 'work' })).rejects.toThrow('does not match the tool')
    await liar.close()
  })

  it('a server without the extension answers calls, just not as tasks', async () => {
    const handler = createMcpHandler(() => {
      const plain = new McpServer({ name: 'plain', version: '1.0.0' })
      plain.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
        content: [{ type: 'text', text }],
      }))
      return plain
    })
    const plainHttp = await startHttpServer(handler)
    const plain = createTaskClient({ url: plainHttp.url })
    await expect(plain.callTool({ name: 'echo', arguments: { text: 'hi' } })).resolves.toMatchObject({
      content: [{ text: 'hi' }],
    })
    expect(plain.store.getState().connection).toMatchObject({ status: 'connected', tasks: false })
    await plain.close()
    await plainHttp.close()
  })
})

/** A server that declares one output of a tool and sends another, inside a task. */
function createLyingServer() {
  const outputSchema = { type: 'object', properties: { steps: { type: 'number' } }, required: ['steps'] }
  const server = createScriptedServer({ tools: [{ name: 'work', inputSchema: { type: 'object' }, outputSchema }] })
  server.on('tools/call', created({ pollIntervalMs: 10 }))
  server.on('tasks/get', completed({ result: { content: [], structuredContent: { steps: 'many' } } }))
  return server
}
