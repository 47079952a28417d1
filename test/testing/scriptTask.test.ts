import { type InputRequest, type TaskClient, TaskConfigurationError, type ToolCall } from 'taskwire'
import { defineTool } from 'taskwire/server'
import {
  createTestServer,
  type ScriptStep,
  type ScriptTaskOptions,
  scriptTask,
  type TestServer,
  type TestServerOptions,
} from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTaskClient } from '../support/anyClient.js'

let server: TestServer
let client: TaskClient

function open(tools: TestServerOptions['tools'], push = false): void {
  server = createTestServer({ tools, push })
  client = createTaskClient({ url: server.url, environment: server.environment })
}

/** A call of a tool that follows the script. */
function play(steps: readonly ScriptStep[], options?: ScriptTaskOptions): ToolCall {
  open([scriptTask(steps, options)])
  return client.startToolCall({ name: options?.name ?? 'report' })
}

/** The same where the server pushes, with the moments at which the app saw something new. */
function playPushed(steps: readonly ScriptStep[], options?: ScriptTaskOptions) {
  open([scriptTask(steps, options)], true)
  const call = client.startToolCall({ name: 'report' })
  return { call, seen: watch(call) }
}

function watch(call: ToolCall): [number, string][] {
  const seen: [number, string][] = []
  const start = server.browser.now()
  call.subscribe(({ phase, task }) => {
    const last = task?.statusMessage ?? phase
    if (seen.at(-1)?.[1] !== last) seen.push([server.browser.now() - start, last])
  })
  return seen
}

const polls = () => server.times('tasks/get')
const result = { content: [{ type: 'text' as const, text: 'done' }] }
const DONE: ScriptStep = { status: 'completed', result }
const working = (statusMessage: string, afterMs?: number): ScriptStep => ({
  status: 'working',
  statusMessage,
  ...(afterMs !== undefined && { afterMs }),
})
const question = (message: string): InputRequest => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties: {} } },
})
const YES = { action: 'accept', content: {} }

it('is refused beside another script without a name, which would never play', () => {
  const tools = [scriptTask([DONE]), scriptTask([DONE])]
  expect(() => createTestServer({ tools })).toThrow(/Two scripts have no name.*\{ name \}/)
  expect(() => createTestServer({ tools: [scriptTask([DONE]), scriptTask([DONE], { name: 'report' })] })).not.toThrow()
})

describe('a script', () => {
  it('shows its first step with the task, and one more with each poll', async () => {
    const call = play([working('one'), working('two'), DONE])
    const seen: unknown[] = []
    for (let second = 0; second < 3; second++) {
      await server.advance(second === 0 ? 500 : 1000)
      seen.push(call.getState().task?.statusMessage ?? call.getState().phase)
    }
    expect(seen).toEqual(['one', 'two', 'completed'])
    expect(polls()).toEqual([1000, 2000])
    await expect(call.result).resolves.toEqual(result)
  })

  it('stays at its last step for as long as a test likes', async () => {
    const call = play([working('one')])
    await server.advance(600_000)
    expect(call.getState()).toMatchObject({ phase: 'working', task: { statusMessage: 'one' } })
  })

  it('begins at the beginning with every call', async () => {
    const first = play([working('one'), DONE])
    await server.advance(1500)
    const second = client.startToolCall({ name: 'report' })
    await server.advance(500)
    expect([first, second].map((call) => call.getState().phase)).toEqual(['completed', 'working'])
  })

  it('may end before it has begun', async () => {
    const call = play([DONE])
    await server.advance(0)
    expect(call.getState()).toMatchObject({ phase: 'completed', result })
    expect(polls()).toEqual([0])
  })

  it('goes by time where its steps say so, and leaves out what nobody saw', async () => {
    const call = play([working('one'), working('two', 300), working('three', 300), working('four', 2000), DONE])
    await server.advance(1000)
    expect(call.getState().task).toMatchObject({
      statusMessage: 'three',
      lastUpdatedAt: new Date(server.browser.now() - 400).toISOString(),
    })
    await server.advance(1000)
    expect(call.getState().task?.statusMessage).toBe('three')
    await server.advance(1000)
    expect(call.getState().task?.statusMessage).toBe('four')
    await server.advance(1000)
    expect(call.getState().phase).toBe('completed')
  })

  it('is polled at the interval it asks for, else at that of the server', async () => {
    play([working('one')], { pollIntervalMs: 3000 })
    await server.advance(10_000)
    expect(polls()).toEqual([3000, 6000, 9000])
  })

  it.each([
    ['failed', { status: 'failed', error: { code: -32603, message: 'out of paper' } }, 'TaskFailedError'],
    ['cancelled', { status: 'cancelled', statusMessage: 'by the operator' }, 'TaskCancelledError'],
  ] as const)('may end as %s', async (phase, step, name) => {
    const call = play([working('one'), step])
    await server.advance(1000)
    expect(call.getState()).toMatchObject({ phase, error: { name } })
  })

  it('is forgotten after its ttl', async () => {
    const call = play([working('one')], { ttlMs: 2500 })
    await server.advance(5000)
    expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'TaskExpiredError' } })
  })
})

describe('an input request of a script', () => {
  it('stands until it is answered, while polls go on', async () => {
    const call = play([{ status: 'input_required', inputRequests: { sure: question('Sure?') } }, DONE])
    await server.advance(30_000)
    expect(call.getState()).toMatchObject({ phase: 'input_required', inputRequests: { sure: question('Sure?') } })
    await call.respond('sure', YES)
    await server.advance(1000)
    expect(call.getState().phase).toBe('completed')
    expect(server.requests.find(({ method }) => method === 'tasks/update')).toMatchObject({
      params: { inputResponses: { sure: YES } },
    })
  })

  it('may be one of several, which are answered one by one', async () => {
    const inputRequests = { a: question('A?'), b: question('B?') }
    const call = play([working('one'), { status: 'input_required', inputRequests }, DONE])
    await server.advance(1000)
    await call.respond('b', YES)
    await server.advance(1000)
    expect(call.getState().phase).toBe('input_required')
    await expect(client.tasks.get(call.getState().task?.taskId ?? '')).resolves.toMatchObject({
      inputRequests: { a: question('A?') },
    })
    await call.respond('a', YES)
    await server.advance(1000)
    expect(call.getState().phase).toBe('completed')
  })

  it('answered, leaves the task at work until the next step comes', async () => {
    const call = play([
      { status: 'input_required', inputRequests: { sure: question('Sure?') }, statusMessage: 'waiting for you' },
      { ...DONE, afterMs: 2000 },
    ])
    await server.advance(1000)
    await call.respond('sure', YES)
    await server.advance(1000)
    expect(call.getState()).toMatchObject({ phase: 'working' })
    await server.advance(1000)
    expect(call.getState().phase).toBe('completed')
  })
})

describe('a request to cancel a script', () => {
  it('ends it with the next poll', async () => {
    const call = play([working('one')])
    await server.advance(1500)
    await call.cancel()
    expect(call.getState()).toMatchObject({ phase: 'working', isCancelling: true })
    await server.advance(1000)
    expect(call.getState()).toMatchObject({ phase: 'cancelled', isCancelling: false })
  })

  it('comes too late where the last step had come before it, though nobody had asked', async () => {
    const call = play([working('one'), { ...DONE, afterMs: 500 }])
    await server.advance(700)
    await call.cancel()
    await server.advance(1000)
    expect(call.getState()).toMatchObject({ phase: 'completed', isCancelling: false })
  })

  it('is ignored where the script says so, and what is over stays as it is', async () => {
    const call = play([working('one'), DONE], { ignoresCancel: true })
    await server.advance(500)
    await call.cancel()
    await server.advance(1000)
    expect(call.getState()).toMatchObject({ phase: 'completed', isCancelling: false })
    const taskId = call.getState().task?.taskId ?? ''
    await client.tasks.cancel(taskId)
    await expect(client.tasks.get(taskId)).resolves.toMatchObject({ status: 'completed' })
  })
})

describe('a script that is pushed', () => {
  it('shows what changes in the instant of a step', async () => {
    const ask = question('Sure?')
    const sure: ScriptStep = { status: 'input_required', inputRequests: { sure: ask }, afterMs: 1000 }
    const { call, seen } = playPushed([working('one'), sure, working('two', 0)])
    await server.advance(1000)
    await call.respond('sure', YES)
    await server.advance(0)
    await call.cancel()
    await server.advance(0)
    expect(seen).toEqual([
      [0, 'one'],
      [1000, 'input_required'],
      [1000, 'two'],
      [1000, 'cancelled'],
    ])
  })

  it('shows each step when it comes, without a poll', async () => {
    const { call, seen } = playPushed([working('one'), working('two', 700), working('three', 1700), DONE])
    await server.advance(5000)
    // The last step would come with a poll: this client could have polled one interval later.
    expect(seen).toEqual([
      [0, 'one'],
      [700, 'two'],
      [2400, 'three'],
      [3400, 'completed'],
    ])
    expect(polls()).toEqual([])
    await expect(call.result).resolves.toEqual(result)
  })

  it('goes on at the interval that it asks for', async () => {
    const { seen } = playPushed([working('one'), working('two'), DONE], { pollIntervalMs: 300 })
    await server.advance(1000)
    expect(seen.map(([at]) => at)).toEqual([0, 300, 600])
  })

  it('asks, and goes on once it is answered', async () => {
    const ask = question('Sure?')
    const { call } = playPushed([{ status: 'input_required', inputRequests: { sure: ask } }, DONE])
    await server.advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'input_required', inputRequests: { sure: ask } })
    await call.respond('sure', YES)
    await server.advance(0)
    expect(call.getState().phase).toBe('working')
    await server.advance(1000)
    expect(call.getState().phase).toBe('completed')
    expect(polls()).toEqual([])
  })

  it('is cancelled at once', async () => {
    const { call } = playPushed([working('one')])
    await server.advance(500)
    await call.cancel()
    await server.advance(0)
    expect(call.getState().phase).toBe('cancelled')
    expect(polls()).toEqual([])
  })

  it('pushes what the poll of another client brings', async () => {
    const { call } = playPushed([working('one'), working('two'), working('three')], { pollIntervalMs: 10_000 })
    await server.advance(100)
    await client.tasks.get(call.getState().task?.taskId ?? '')
    await server.advance(0)
    expect(call.getState().task?.statusMessage).toBe('two')
    await server.advance(9999)
    expect(call.getState().task?.statusMessage).toBe('two')
    await server.advance(1)
    expect(call.getState().task?.statusMessage).toBe('three')
  })

  it('shares the stream with real tasks', async () => {
    const real = defineTool({
      name: 'real',
      taskSupport: 'required',
      inputSchema: z.object({}),
      async handler(_, { sleep }) {
        await sleep(2500)
        return result
      },
    })
    open([real, scriptTask([working('one'), { ...DONE, afterMs: 1500 }])], true)
    const calls = ['real', 'scripted'].map((name) => client.startToolCall({ name }))
    const seen = calls.map(watch)
    await server.advance(10_000)
    expect(seen.map((moments) => moments.at(-1))).toEqual([
      [2500, 'completed'],
      [1500, 'completed'],
    ])
    expect(polls()).toEqual([])
    expect(server.requests.find(({ method }) => method === 'subscriptions/listen')?.params).toMatchObject({
      notifications: { taskIds: expect.arrayContaining(calls.map((call) => call.getState().task?.taskId)) },
    })
  })

  it('leaves nothing behind when nobody listens any more', async () => {
    playPushed([working('one'), working('two', 60_000)])
    await server.advance(500)
    await client.close()
    await server.advance(1000)
    expect(server.browser.pendingTimers()).toBe(0)
  })

  it('ends with the server, which the call waits for', async () => {
    const { call } = playPushed([working('one')], { ttlMs: 60_000 })
    await server.advance(500)
    expect(server.count('subscriptions/listen')).toBe(1)
    await server.close()
    await server.advance(30_000)
    expect(call.getState()).toMatchObject({ network: 'retrying' })
    await server.advance(90_000)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'retrying' })
  })
})

describe('a server with scripts', () => {
  const real = defineTool({
    name: 'real',
    taskSupport: 'optional',
    inputSchema: z.object({}),
    handler: () => ({ content: [{ type: 'text', text: 'really' }] }),
  })

  it('has real tools, named scripts and a script for all other tools side by side', async () => {
    open([scriptTask([working('any')]), real, scriptTask([working('named')], { name: 'named' })])
    const calls = ['real', 'named', 'other'].map((name) => client.startToolCall({ name }))
    await server.advance(1000)
    expect(calls.map((call) => call.getState().task?.statusMessage ?? call.getState().phase)).toEqual([
      'completed',
      'named',
      'any',
    ])
  })

  it('lists the tools that have a name', async () => {
    open([scriptTask([DONE]), real, scriptTask([DONE], { name: 'named', annotations: { readOnlyHint: true } })])
    await expect(client.listTools()).resolves.toMatchObject([
      { name: 'real' },
      { name: 'named', annotations: { readOnlyHint: true } },
    ])
  })
})

describe('a script behind a sign-in', () => {
  /** Whoever has a token is its user. */
  const users = new Map<string, string>()
  const authenticate: TestServerOptions['authenticate'] = ({ headers }) => {
    const token = headers.get('authorization')?.replace('Bearer ', '') ?? ''
    const sub = users.get(token)
    if (sub === undefined) return new Response(null, { status: 401 })
    return { token, clientId: 'app', scopes: [], extra: { sub } }
  }
  const as = (token: string) =>
    createTaskClient({
      url: server.url,
      environment: server.browser.openPage().environment,
      scope: token,
      headers: () => ({ authorization: `Bearer ${token}` }),
    })

  beforeEach(() => {
    server = createTestServer({ tools: [scriptTask([working('one')])], authenticate })
    users.clear()
    for (const name of ['ada', 'eve']) users.set(name, name)
  })

  it('shows a task to its own user alone', async () => {
    const call = as('ada').startToolCall({ name: 'report' })
    await server.advance(500)
    const taskId = call.getState().task?.taskId ?? ''
    await expect(as('ada').tasks.get(taskId)).resolves.toMatchObject({ status: 'working' })
    await expect(as('eve').tasks.get(taskId)).rejects.toThrow()
    await as('eve')
      .tasks.cancel(taskId)
      .catch(() => {})
    await server.advance(1000)
    expect(call.getState().phase).toBe('working')
  })

  it('refuses a token that has expired while it runs', async () => {
    const ada = as('ada')
    ada.startToolCall({ name: 'report' })
    await server.advance(500)
    expect(ada.store.getState().connection.status).toBe('connected')
    users.delete('ada')
    await server.advance(5000)
    expect(ada.store.getState().connection.status).toBe('unauthorized')
  })
})

it.each([
  ['no steps', [], 'it has no steps'],
  ['a first step that comes later', [working('one', 100)], 'its first step has `afterMs`'],
  ['steps after the end', [DONE, working('one')], '"completed" ends a task'],
  [
    'a question asked twice',
    [
      { status: 'input_required', inputRequests: { a: question('A?') } },
      { status: 'input_required', inputRequests: { a: question('A again?') } },
    ],
    'two steps ask "a"',
  ],
] as const)('a script with %s is a TaskConfigurationError', (_, steps: readonly ScriptStep[], message) => {
  expect(() => scriptTask(steps)).toThrow(TaskConfigurationError)
  expect(() => scriptTask(steps)).toThrow(message)
})
