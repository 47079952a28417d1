import type { TaskClient, TaskClientUrlOptions, ToolCall } from 'taskwire'
import { createSimulatedEnvironment, type SimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { clientKind, createTaskClient } from './support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  http,
  type Reply,
  result,
  rpcError,
  type ScriptedRequest,
  type ScriptedServer,
  snapshot,
  TASKS,
} from './support/scriptedServer.js'

/** What a row has in hand: a server of its own, a page, and a client on it. */
interface Scene {
  readonly server: ScriptedServer
  readonly page: SimulatedEnvironment
  readonly client: TaskClient
  open(options: Partial<TaskClientUrlOptions>): TaskClient
  /** When `tasks/get` arrived, in ms since the start; of one task, where there are several. */
  polls(taskId?: string): number[]
  count(method: string): number
}

interface Pitfall {
  /** What implementers of this protocol got wrong most often (DESIGN, section 5). */
  readonly name: string
  /** True for what only the client over the SDK has. */
  readonly isOfFull?: boolean
  /** What happens here instead. */
  readonly test: (scene: Scene) => Promise<void>
}

const TASK_ID = 'task-secret-1'
const question = { method: 'elicitation/create', params: { message: 'Name?', requestedSchema: { type: 'object' } } }
const asks = snapshot({ status: 'input_required', inputRequests: { name: question } })
const answer = { action: 'accept', content: { name: 'Ann' } }

/** What became of a call so far. */
function track(call: ToolCall) {
  const outcome: { result?: unknown; error?: unknown } = {}
  call.result.then(
    (value) => Object.assign(outcome, { result: value }),
    (error: unknown) => Object.assign(outcome, { error }),
  )
  return outcome
}

/** Answers each task by its id, as a server with several does. */
const byTask =
  (tasks: Record<string, Reply>): Reply =>
  (request) =>
    (tasks[String(request.params['taskId'])] ?? rpcError(-32602, 'Unknown task'))(request)

const pitfalls: Pitfall[] = [
  {
    // [TASK-POLL-INTERVAL]
    name: 'the first poll at once',
    test: async ({ server, page, client, polls }) => {
      server.on('tools/call', created({ pollIntervalMs: 3000 }), created({ taskId: 'born', status: 'completed' }))
      server.on('tasks/get', byTask({ [TASK_ID]: completed(), born: completed({ taskId: 'born' }) }))
      client.startToolCall({ name: 'report' })
      await page.advance(2999)
      expect(polls()).toEqual([])
      await page.advance(1)
      expect(polls()).toEqual([3000])
      // Only what is born terminal is fetched at once: nothing can change any more.
      client.startToolCall({ name: 'report' })
      await page.settle()
      expect(polls()).toEqual([3000, 3000])
    },
  },
  {
    // [TASK-POLL-INTERVAL-CHANGES]
    name: 'an interval frozen at creation',
    test: async ({ server, page, client, polls }) => {
      server.on('tools/call', created({ pollIntervalMs: 1000 }))
      server.on(
        'tasks/get',
        snapshot({ pollIntervalMs: 5000 }),
        snapshot({ pollIntervalMs: 200 }),
        snapshot({ pollIntervalMs: undefined }),
        completed(),
      )
      client.startToolCall({ name: 'report' })
      await page.advance(60_000)
      expect(polls()).toEqual([1000, 6000, 6200, 7200])
    },
  },
  {
    name: 'the smallest interval of all tasks used for all',
    test: async ({ server, page, client, polls }) => {
      const task = (taskId: string, pollIntervalMs: number) => ({ taskId, pollIntervalMs })
      const [fast, slow] = [task('fast', 500), task('slow', 2000)]
      server.on('tools/call', created(fast), created(slow))
      server.on('tasks/get', byTask({ fast: snapshot(fast), slow: snapshot(slow) }))
      client.startToolCall({ name: 'report' })
      client.startToolCall({ name: 'report' })
      await page.advance(4000)
      expect(polls('fast')).toEqual([500, 1000, 1500, 2000, 2500, 3000, 3500, 4000])
      expect(polls('slow')).toEqual([2000, 4000])
    },
  },
  {
    name: "a user's preference below the server's floor",
    test: async ({ server, page, open, polls }) => {
      server.on('tools/call', created({ pollIntervalMs: 2000 }))
      server.on('tasks/get', snapshot({ pollIntervalMs: 2000 }))
      const eager = open({ poll: { defaultIntervalMs: 100, minIntervalMs: 10 }, retry: { baseMs: 1, maxMs: 1 } })
      eager.startToolCall({ name: 'report' })
      await page.advance(3000)
      // Not even where the browser says that there is news.
      await page.setVisible(false)
      await page.setVisible(true)
      await page.setOnline(false)
      await page.setOnline(true)
      await page.showPage()
      await page.advance(3000)
      expect(polls()).toEqual([2000, 4000, 6000])
    },
  },
  {
    // [TASK-INPUT-OBSERVE]
    name: 'a hot loop after tasks/update',
    test: async ({ server, page, client, polls, count }) => {
      server.on('tools/call', created())
      server.on('tasks/get', asks)
      server.on('tasks/update', ack)
      const call = client.startToolCall({ name: 'report' })
      await page.advance(1300)
      await call.respond('name', answer)
      await page.advance(2699)
      expect(polls()).toEqual([1000, 2000, 3000])
      expect(count('tasks/update')).toBe(1)
      expect(server.received('tasks/update')[0]?.params).toMatchObject({ inputResponses: { name: answer } })
    },
  },
  {
    // [TASK-INPUT-DEDUPE]
    name: 'the same question asked twice',
    test: async ({ server, page, client, open, count }) => {
      server.on('tools/call', created())
      server.on('tasks/get', asks)
      server.on('tasks/update', ack)
      const call = client.startToolCall({ name: 'report' })
      await page.advance(1300)
      expect(Object.keys(call.getState().inputRequests)).toEqual(['name'])
      await call.respond('name', answer)
      expect(call.getState().inputRequests).toEqual({})
      // The server is slow to take note and goes on asking.
      await page.advance(5000)
      expect(call.getState()).toMatchObject({ phase: 'input_required' })
      expect(call.getState().inputRequests).toEqual({})
      await page.hidePage()
      await client.close()
      // Nor after a reload.
      const [again] = await open({}).resumeToolCalls()
      await page.advance(5000)
      expect(again?.getState()).toMatchObject({ phase: 'input_required' })
      expect(again?.getState().inputRequests).toEqual({})
      expect(count('tasks/update')).toBe(1)
    },
  },
  {
    name: 'isError taken for failed',
    test: async ({ server, page, client }) => {
      const failure = { content: [{ type: 'text', text: 'no such file' }], isError: true }
      server.on('tools/call', created())
      server.on('tasks/get', completed({ result: failure }))
      const call = client.startToolCall({ name: 'report' })
      const outcome = track(call)
      await page.advance(1000)
      expect(outcome).toEqual({ result: failure })
      expect(call.getState()).toMatchObject({ phase: 'completed', result: failure })
      expect(call.getState().error).toBeUndefined()
    },
  },
  {
    // [TASK-CANCEL-BY-REQUEST] [TASK-POLL-TO-THE-END]
    name: 'a cancel ack taken for cancelled',
    test: async ({ server, page, client, polls, count }) => {
      server.on('tools/call', created())
      server.on('tasks/get', snapshot(), snapshot(), completed())
      server.on('tasks/cancel', ack)
      const call = client.startToolCall({ name: 'report' })
      const outcome = track(call)
      await page.advance(1300)
      await call.cancel()
      expect(call.getState()).toMatchObject({ phase: 'working', isCancelling: true })
      await page.advance(700)
      expect(call.getState()).toMatchObject({ phase: 'working', isCancelling: true })
      await page.advance(1000)
      expect(polls()).toEqual([1000, 2000, 3000])
      expect(outcome).toMatchObject({ result: { content: [{ text: 'done' }] } })
      expect(call.getState()).toMatchObject({ phase: 'completed', isCancelling: false })
      expect(count('tasks/cancel')).toBe(1)
      expect(count('notifications/cancelled')).toBe(0)
    },
  },
  {
    // [TASK-POLL-TO-THE-END]
    name: 'polling after a terminal status',
    test: async ({ server, page, client, count }) => {
      const ends = [
        completed(),
        snapshot({ status: 'failed', error: { code: 1, message: 'no' } }),
        snapshot({ status: 'cancelled' }),
      ]
      server.on('tools/call', created())
      for (const [index, end] of ends.entries()) {
        server.on('tasks/get', end)
        const call = client.startToolCall({ name: 'report' })
        await page.advance(60_000)
        await page.setOnline(false)
        await page.setOnline(true)
        await page.showPage()
        expect(count('tasks/get')).toBe(index + 1)
        expect(call.getState().phase).toBe(['completed', 'failed', 'cancelled'][index])
      }
      expect(page.pendingTimers()).toBe(0)
    },
  },
  {
    name: 'auth recovery that repeats tools/call',
    isOfFull: true,
    test: async ({ server, page, open, polls, count }) => {
      let token = 'old'
      const refused: Reply = http(401, { body: 'Token expired' })
      const guarded =
        (reply: Reply): Reply =>
        (request: ScriptedRequest) =>
          (request.headers.get('authorization') === `Bearer ${token}` ? reply : refused)(request)
      server.on('tools/call', guarded(created()))
      server.on('tasks/get', guarded(completed()))
      let current = token
      let signIns = 0
      const authProvider = {
        token: () => Promise.resolve(current),
        // Nobody is there to sign in.
        onUnauthorized: () => {
          signIns += 1
          return Promise.resolve()
        },
      }
      const transportOptions = { fetch: server.fetch, authProvider }
      const call = open({ transportOptions }).startToolCall({ name: 'report' })
      const outcome = track(call)
      await page.settle()
      token = 'new'
      await page.advance(1000)
      expect(call.getState()).toMatchObject({ phase: 'working', network: 'paused', lastError: { kind: 'auth' } })
      current = token
      await page.advance(1000)
      expect(outcome).toMatchObject({ result: { content: [{ text: 'done' }] } })
      // The SDK asks once more with what it has got.
      expect(polls()).toEqual([1000, 1000, 2000])
      expect(signIns).toBe(1)
      expect(count('tools/call')).toBe(1)
    },
  },
  {
    // [TASK-NAME-HEADER]
    name: 'a missing Mcp-Name',
    test: async ({ server, page, client }) => {
      server.on('tools/call', created())
      server.on('tasks/get', asks)
      server.on('tasks/update', ack)
      server.on('tasks/cancel', ack)
      const call = client.startToolCall({ name: 'report' })
      await page.advance(1300)
      await call.respond('name', answer)
      await call.cancel()
      const sent = server.received('tasks/*')
      expect(sent.map(({ method }) => method)).toEqual(['tasks/get', 'tasks/update', 'tasks/cancel'])
      for (const { method, headers } of sent) {
        expect(headers.get('mcp-name')).toBe(TASK_ID)
        expect(headers.get('mcp-method')).toBe(method)
        expect(headers.get('mcp-protocol-version')).toBe('2026-07-28')
      }
    },
  },
  {
    name: '-32003 for -32021',
    test: async ({ server, page, client }) => {
      const data = { requiredCapabilities: { extensions: { [TASKS]: {} } } }
      const outcomeOf = async (code: number) => {
        server.on('tools/call', rpcError(code, 'Missing required client capability', { data }))
        const outcome = track(client.startToolCall({ name: 'report' }))
        await page.settle()
        return outcome.error
      }
      expect(await outcomeOf(-32021)).toMatchObject({ name: 'TasksUnsupportedError', code: -32021 })
      expect(await outcomeOf(-32003)).toMatchObject({ name: 'ToolCallRejectedError', code: -32003 })
      // The extension had been declared all along, and in the envelope.
      for (const { params } of server.requests) {
        const capabilities = (params['_meta'] as Record<string, unknown>)['io.modelcontextprotocol/clientCapabilities']
        expect(capabilities).toMatchObject({ extensions: { [TASKS]: {} } })
      }
    },
  },
  {
    // [TASK-UNSUPPORTED-METHOD]
    name: 'a task accepted from a method that may not return one',
    test: async ({ server, page, client, count }) => {
      server.on('tools/list', created())
      await expect(client.listTools()).rejects.toMatchObject({ code: 'UNSUPPORTED_RESULT_TYPE' })
      expect(count('tasks/*')).toBe(0)

      server.on('tools/call', created())
      server.on('tasks/get', created({ status: 'completed', result: { content: [] } }))
      const call = client.startToolCall({ name: 'report' })
      const outcome = track(call)
      await page.advance(60_000)
      expect(outcome.error).toMatchObject({ name: 'TaskProtocolError', source: 'tasks/get' })
    },
  },
  {
    name: 'eras mixed',
    isOfFull: true,
    test: async ({ server, page, client, count }) => {
      // A modern answer in the shape of the legacy era is no task, and nobody goes on to `tasks/result`.
      const legacyTask = { taskId: 'old', status: 'working', ttl: 60_000, pollInterval: 1000 }
      server.on('tools/call', result({ task: legacyTask }))
      const modern = track(client.startToolCall({ name: 'report' }))
      await page.advance(5000)
      expect(modern.error).toBeInstanceOf(Error)
      expect(count('tasks/*')).toBe(0)

      // A legacy server hears nothing of the envelope, and its `resultType` means nothing.
      const old = createScriptedServer({ now: page.now })
      old.on('server/discover', rpcError(-32601, 'Method not found'))
      old.on(
        'initialize',
        result({
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'old', version: '1' },
        }),
      )
      old.on('tools/call', result({ ...legacyTask, resultType: 'task', content: [{ type: 'text', text: 'done' }] }))
      const legacy = createTaskClient({
        url: 'https://old.example/mcp',
        transportOptions: { fetch: old.fetch },
        environment: page.environment,
      })
      // What an old server takes is loaded when one is met, in the time of this machine.
      await legacy.connect()
      const outcome = track(legacy.startToolCall({ name: 'report' }))
      await page.advance(5000)
      expect(outcome).toMatchObject({ result: { content: [{ text: 'done' }] } })
      expect(old.received('tasks/*')).toEqual([])
      const said = JSON.stringify(
        [...old.received('initialize'), ...old.received('tools/call')].map(({ body }) => body),
      )
      expect(said).not.toContain('io.modelcontextprotocol')
    },
  },
]

function setScene(): Scene {
  const page = createSimulatedEnvironment()
  const start = page.now()
  const server = createScriptedServer({ now: page.now })
  const open = (options: Partial<TaskClientUrlOptions>) =>
    createTaskClient({
      url: 'https://tasks.example/mcp',
      transportOptions: { fetch: server.fetch },
      environment: page.environment,
      ...options,
    })
  return {
    server,
    page,
    open,
    client: open({}),
    polls: (taskId) =>
      server
        .received('tasks/get')
        .filter(({ params }) => taskId === undefined || params['taskId'] === taskId)
        .map(({ at }) => at - start),
    count: (method) => server.received(method).length,
  }
}

describe('what implementers of this protocol got wrong most often', () => {
  const ofThisKind = pitfalls.filter(({ isOfFull }) => clientKind === 'full' || !isOfFull)
  it.each(ofThisKind)('$name', ({ test }) => test(setScene()))
})
