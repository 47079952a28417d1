import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  createTaskClient,
  type TaskClient,
  type TaskClientUrlOptions,
  TaskExpiredError,
  type TaskStorage,
  TasksUnsupportedError,
  withTasks,
} from 'taskwire'
import type { WireObservation } from 'taskwire/types'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { hash } from '../../src/core/record/hash.js'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { PATIENCE } from '../support/patience.js'
import { openWithSdkV1 } from './support/eraPages.js'
import { type EraServer, TOOLS } from './support/eraServer.js'
import { type LegacyServer, type LegacyServerOptions, startLegacyServer } from './support/legacyServer.js'
import { startModernServer } from './support/modernServer.js'
import { reached } from './support/reached.js'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function startServer(options?: LegacyServerOptions): Promise<LegacyServer> {
  const server = await startLegacyServer(options)
  closing.push(server.close)
  return server
}

function open(url: string, options?: Partial<TaskClientUrlOptions>): TaskClient {
  const client = createTaskClient({ url, storage: 'memory', retry: { baseMs: 10 }, ...options })
  closing.push(client.close)
  return client
}

const work = (outcome: string, steps = 3) => ({ name: TOOLS.work, arguments: { outcome, steps } })
const workOptionally = { name: TOOLS.workOptionally, arguments: { outcome: 'success', steps: 1 } }

const called = (server: EraServer) => server.requests.find(({ method }) => method === 'tools/call')?.params

describe('which calls ask for a task', () => {
  it('by default those of every tool that may be one, without a wish for how long it is kept', async () => {
    const server = await startServer()
    await open(server.url).callTool(workOptionally)
    expect(called(server)).toMatchObject({ name: TOOLS.workOptionally, task: {} })
    expect(called(server)?.['task']).toEqual({})
  })

  it('with legacy.ttlMs the wish is sent, and the server keeps to it', async () => {
    const server = await startServer()
    const call = open(server.url, { legacy: { ttlMs: 60_000 } }).startToolCall(work('success'))
    await call.result
    expect(called(server)?.['task']).toEqual({ ttl: 60_000 })
    expect(call.getState().task).toMatchObject({ ttlMs: 60_000 })
  })

  it("with legacy.tasks 'required-only' those of tools that cannot be called otherwise", async () => {
    const server = await startServer()
    const client = open(server.url, { legacy: { tasks: 'required-only' } })
    const plain = client.startToolCall(workOptionally)
    await expect(plain.result).resolves.toMatchObject({ structuredContent: { steps: 1 } })
    expect(called(server)).not.toHaveProperty('task')
    expect(plain.getState().task).toBeUndefined()
    await expect(client.callTool(work('success'))).resolves.toMatchObject({ structuredContent: { steps: 3 } })
    expect(server.count('tasks/result')).toBe(1)
  })

  it("with legacy.tasks 'never' none, and a tool that must be one says so", async () => {
    const server = await startServer()
    const client = open(server.url, { legacy: { tasks: 'never' } })
    await expect(client.callTool(work('success'))).resolves.toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('requires task augmentation') }],
    })
    expect(called(server)).not.toHaveProperty('task')
  })

  it('on a server without tasks none, and nothing is asked of it first', async () => {
    const server = await startServer({ tasks: undefined })
    const client = open(server.url)
    await expect(client.callTool({ name: TOOLS.echo, arguments: { text: 'hi' } })).resolves.toMatchObject({
      content: [{ text: 'hi' }],
    })
    expect(client.store.getState().connection).toMatchObject({ era: 'legacy', tasks: false })
    expect(server.count('tools/list')).toBe(0)
  })

  it('the tools are listed once for all calls', async () => {
    const server = await startServer()
    const client = open(server.url)
    await Promise.all([client.callTool(work('success')), client.callTool(workOptionally)])
    await client.callTool(work('success'))
    expect(server.count('tools/list')).toBeLessThanOrEqual(2)
  })

  it.each(['sometimes', 1, null])('legacy.tasks %j is no way to ask', (tasks) => {
    expect(() => createTaskClient({ url: 'https://a.example/mcp', legacy: { tasks: tasks as never } })).toThrow(
      /legacy.tasks is .*; it must be 'auto', 'required-only' or 'never'/,
    )
  })

  it('callToolRaw hands the task over, in the vocabulary of today', async () => {
    const server = await startServer()
    const client = open(server.url)
    const raw = await client.callToolRaw(work('success'))
    if (raw.type !== 'task') throw new Error('It was no task.')
    expect(raw.task).toMatchObject({ status: 'working', ttlMs: null, pollIntervalMs: 30 })
    expect(raw.task).not.toHaveProperty('pollInterval')
    await expect(client.resumeTask(raw.task.taskId).result).resolves.toMatchObject({ structuredContent: { steps: 3 } })
  })
})

describe('while a task runs', () => {
  it('notifications/tasks/status is a hint to poll now', async () => {
    const server = await startServer({ pollIntervalMs: 600_000 })
    await expect(open(server.url).callTool(work('success'))).resolves.toMatchObject({ structuredContent: { steps: 3 } })
    expect(server.count('tasks/get')).toBeGreaterThan(0)
  })

  it('a server that lets no task be cancelled is not asked to, and the task goes on', async () => {
    const server = await startServer({ tasks: { requests: { tools: { call: {} } } } })
    const client = open(server.url)
    const call = client.startToolCall(work('success', 10))
    await reached(client, call.callId, ({ phase }) => phase === 'working')
    await expect(call.cancel()).rejects.toBeInstanceOf(TasksUnsupportedError)
    expect(call.getState().isCancelling).toBe(false)
    await expect(call.result).resolves.toMatchObject({ structuredContent: { steps: 10 } })
    expect(server.count('tasks/cancel')).toBe(0)
  })

  it('an input request outside of any task is one of the call', async () => {
    const server = await startServer()
    const client = open(server.url)
    const call = client.startToolCall({ name: TOOLS.askPlainly })
    const { inputRequests, phase } = await reached(
      client,
      call.callId,
      ({ inputRequests }) => Object.keys(inputRequests).length > 0,
    )
    expect(phase).toBe('input_required')
    await call.respond(Object.keys(inputRequests)[0] ?? '', { action: 'accept', content: { ok: true } })
    await expect(call.result).resolves.toMatchObject({ content: [{ text: '{"ok":true}' }] })
  })

  it('an input request outside of any task is one of the call, by an SDK v1 client, too', async () => {
    const server = await startServer()
    const page = await openWithSdkV1(
      server.url,
      { storage: memoryStorage() },
      { input: { handlers: { elicitation: () => ({ action: 'accept', content: { ok: false } }) } } },
    )
    closing.push(page.close)
    await expect(page.client.callTool({ name: TOOLS.askPlainly })).resolves.toMatchObject({
      content: [{ text: '{"ok":false}' }],
    })
  })

  it('an input request can be answered by another page, which has a session of its own', async () => {
    const server = await startServer()
    const client = open(server.url)
    const call = client.startToolCall(work('input'))
    const { inputRequests, task } = await reached(
      client,
      call.callId,
      ({ inputRequests }) => Object.keys(inputRequests).length > 0,
    )
    const other = open(server.url)
    await other.tasks.update(task?.taskId ?? '', { [Object.keys(inputRequests)[0] ?? '']: { action: 'decline' } })
    await expect(call.result).resolves.toMatchObject({ content: [{ text: 'decline undefined' }] })
    expect(server.count('initialize')).toBe(2)
  })

  it('a response that comes after the task was cancelled is refused here', async () => {
    const server = await startServer()
    const client = open(server.url)
    const call = client.startToolCall(work('input'))
    const { inputRequests } = await reached(
      client,
      call.callId,
      ({ inputRequests }) => Object.keys(inputRequests).length > 0,
    )
    await call.cancel()
    await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
    await expect(call.respond(Object.keys(inputRequests)[0] ?? '', { action: 'decline' })).rejects.toMatchObject({
      name: 'TaskInputError',
    })
  })

  it('its id is in no message', async () => {
    const server = await startServer()
    const client = open(server.url)
    const raw = await client.callToolRaw(work('failure', 0))
    if (raw.type !== 'task') throw new Error('It was no task.')
    const { taskId } = raw.task
    const secret = taskId.split(' ').at(-1) ?? ''
    const failure: unknown = await client.resumeTask(taskId).result.catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'TaskFailedError', message: 'Out of paper' })
    expect(JSON.stringify(failure)).not.toContain(secret)
    const unknown: unknown = await client.tasks.get(taskId.replace(secret, 'f00d')).catch((error: unknown) => error)
    expect(unknown).toBeInstanceOf(TaskExpiredError)
    expect(JSON.stringify(unknown)).not.toContain('f00d')
  })
})

describe('a session', () => {
  it('that the server has ended ends its tasks, and the next call begins a new one', async () => {
    const server = await startServer()
    const client = open(server.url)
    const call = client.startToolCall(work('success', 10_000))
    await reached(client, call.callId, ({ phase }) => phase === 'working')
    server.restart()
    await expect(call.result).rejects.toMatchObject({
      name: 'TaskExpiredError',
      message: expect.stringContaining('ended the session'),
    })
    await expect(client.callTool({ name: TOOLS.echo, arguments: { text: 'again' } })).resolves.toMatchObject({
      content: [{ text: 'again' }],
    })
    expect(server.count('initialize')).toBe(2)
  })

  it('that the server has ended is told to whoever calls, since the tool has not run', async () => {
    const server = await startServer()
    const client = open(server.url)
    const echo = { name: TOOLS.echo, arguments: { text: 'hi' } }
    await client.callTool(echo)
    server.restart()
    await expect(client.callTool(echo)).rejects.toMatchObject({
      name: 'ConnectionFailedError',
      message: expect.stringContaining('the tool did not run'),
    })
    await expect(client.callTool(echo)).resolves.toMatchObject({ content: [{ text: 'hi' }] })
  })

  it.each([
    ['a list of tools', (client: TaskClient) => client.listTools()],
    ['a call of a tool that was not listed yet', (client: TaskClient) => client.callTool(workOptionally)],
  ])('that the server has ended before %s is opened anew by the next one', async (_, ask) => {
    const server = await startServer()
    const client = open(server.url)
    await client.connect()
    server.restart()
    await expect(ask(client)).rejects.toMatchObject({
      name: 'ConnectionFailedError',
      message: expect.stringContaining('ended the session'),
    })
    await expect(ask(client)).resolves.toBeDefined()
    expect(server.count('initialize')).toBe(2)
  })

  it('that the server has ended is opened anew by the app whose SDK client it was, as the error says', async () => {
    const server = await startServer()
    const sdk = new Client({ name: 'app', version: '1' })
    const connect = () => sdk.connect(withTasks(new StreamableHTTPClientTransport(new URL(server.url))))
    await connect()
    const client = createTaskClient({ client: sdk, storage: 'memory' })
    closing.push(client.close)
    const echo = { name: TOOLS.echo, arguments: { text: 'hi' } }
    await client.callTool(echo)
    server.restart()
    await expect(client.callTool(echo)).rejects.toMatchObject({
      name: 'ConnectionFailedError',
      message: expect.stringMatching(/the tool did not run\. Connect the client again/),
    })
    await connect()
    server.restart()
    await expect(client.listTools()).rejects.toThrow(/ended the session\. Connect the client again/)
    await connect()
    await expect(client.callTool(echo)).resolves.toMatchObject({ content: [{ text: 'hi' }] })
  })

  it('that a server with one session for all has lost by a restart is opened anew by the next call', async () => {
    const server = await startServer()
    const fetch = async (url: string | URL, init?: RequestInit) => {
      const response = await globalThis.fetch(url, init)
      const error = { code: -32000, message: 'Bad Request: Server not initialized' }
      return response.status === 404 ? Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 }) : response
    }
    const client = open(server.url, { transportOptions: { fetch } })
    const echo = { name: TOOLS.echo, arguments: { text: 'hi' } }
    const call = client.startToolCall(work('success', 10_000))
    await reached(client, call.callId, ({ phase }) => phase === 'working')
    server.restart()
    await expect(call.result).rejects.toBeInstanceOf(TaskExpiredError)
    server.restart()
    await client.callTool(echo).catch(() => {})
    await expect(client.callTool(echo)).resolves.toMatchObject({ content: [{ text: 'hi' }] })
  })

  it('is named on every request for a task, and nothing of ours goes out with it', async () => {
    const server = await startServer()
    const headers: Headers[] = []
    const fetch = (url: string | URL, init?: RequestInit) => {
      headers.push(new Headers(init?.headers))
      return globalThis.fetch(url, init)
    }
    await open(server.url, { transportOptions: { fetch } }).callTool(work('success'))
    expect(headers.filter((one) => one.has('taskwire-session'))).toEqual([])
    expect(new Set(headers.slice(2).map((one) => one.get('mcp-session-id'))).size).toBe(1)
  })
})

it('a task that the app names, and the server does not know, is said to be unknown there, and of no other revision', async () => {
  const server = await startServer()
  const error: unknown = await open(server.url)
    .resumeTask('f00d')
    .result.catch((error: unknown) => error)
  expect(error).toBeInstanceOf(TaskExpiredError)
  expect(error).toHaveProperty('message', expect.stringContaining('no longer knows this task'))
})

describe('a server that speaks another revision than it did', () => {
  /** One URL, behind which the server is exchanged. */
  function pages() {
    let target = ''
    const storage: TaskStorage = memoryStorage()
    const fetch = (_: string | URL, init?: RequestInit) => globalThis.fetch(target, init)
    return {
      storage,
      visit: (server: EraServer) => {
        target = server.url
        return open('https://app.example/mcp', { storage, transportOptions: { fetch } })
      },
    }
  }

  it.each([
    ['2026-07-28', startModernServer, '2025-11-25', startLegacyServer],
    ['2025-11-25', startLegacyServer, '2026-07-28', startModernServer],
  ] as const)(
    'a task of %s is over: the call says so, and its record is gone',
    async (before, startBefore, after, startAfter) => {
      const [old, young] = [await startBefore(), await startAfter()]
      closing.push(old.close, young.close)
      const { storage, visit } = pages()
      const first = visit(old)
      const call = first.startToolCall(work('success', 10_000), { key: 'weekly' })
      await reached(first, call.callId, ({ phase }) => phase === 'working')
      await first.close()
      expect([...(await storage.keys())]).toHaveLength(1)

      const second = visit(young)
      const again = second.startToolCall(work('success', 10_000), { key: 'weekly' })
      const error: unknown = await again.result.catch((error: unknown) => error)
      expect(error).toBeInstanceOf(TaskExpiredError)
      expect(error).toHaveProperty('message', expect.stringContaining(`MCP ${before}`))
      expect(error).toHaveProperty('message', expect.stringContaining(`now it speaks ${after}`))
      expect([...(await storage.keys())]).toEqual([])
    },
  )
})

describe('an SDK v2 client of the app', () => {
  it('that is connected to a server of 2025-11-25 runs its tasks', async () => {
    const server = await startServer()
    const sdk = new Client({ name: 'app', version: '1' })
    await sdk.connect(withTasks(new StreamableHTTPClientTransport(new URL(server.url))))
    const client = createTaskClient({ client: sdk, storage: 'memory' })
    closing.push(client.close)
    await expect(client.callTool(work('success'))).resolves.toMatchObject({ structuredContent: { steps: 3 } })
    expect(client.store.getState().connection).toMatchObject({
      era: 'legacy',
      eraReason: expect.stringContaining('SDK client of the app'),
    })
  })

  it('may have another task client, which is asked also after the first one was closed', async () => {
    const server = await startServer()
    const sdk = new Client({ name: 'app', version: '1' }, { capabilities: { elicitation: { form: {} } } })
    await sdk.connect(withTasks(new StreamableHTTPClientTransport(new URL(server.url))))
    const clients = ['before', 'after'].map((scope) => createTaskClient({ client: sdk, scope, storage: 'memory' }))
    const [before, after] = clients
    for (const client of clients) await client.callTool(work('success'))
    await before?.close()
    if (after !== undefined) closing.push(after.close)
    const call = after?.startToolCall(work('input'))
    await vi.waitUntil(() => Object.keys(call?.getState().inputRequests ?? {}).length > 0, PATIENCE)
    const [inputKey = ''] = Object.keys(call?.getState().inputRequests ?? {})
    await call?.respond(inputKey, { action: 'accept', content: { ok: true } })
    await expect(call?.result).resolves.toMatchObject({ content: [{ text: 'accept {"ok":true}' }] })
  })

  it('that checks what a tool puts out checks it for a task, too', async () => {
    const server = await startServer()
    await expect(open(server.url).callTool(work('bad output'))).rejects.toThrow('does not match the tool')
  })
})

it('observations of the wire of a 2025-11-25 server hold no ids of tasks and sessions', async () => {
  const server = await startServer()
  const client = open(server.url)
  const told: WireObservation[] = []
  client.observe((each) => void ('exchange' in each && told.push(each)), { wire: true })
  const call = client.startToolCall(work('success'))
  await call.result
  const polls = server.requests.filter(({ method }) => method === 'tasks/get')
  const taskId = String(polls[0]?.params['taskId'])
  await vi.waitUntil(() => told.some((each) => each.type === 'wire-answered' && each.method === 'tasks/get'), PATIENCE)
  const said = JSON.stringify(told)
  expect(said).not.toContain(taskId)
  expect(said).toContain('"mcp-session-id":"[redacted]"')
  const poll = told.find(({ method }) => method === 'tasks/get')
  expect(poll?.task).toBe(hash(call.getState().task?.taskId ?? '').slice(0, 7))
})
