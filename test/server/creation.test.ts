import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { InMemoryTaskStore } from '../../src/server/tasks/inMemoryTaskStore.js'
import { defineTool, type ToolDefinition } from '../../src/server/tools/defineTool.js'
import { gist, listen } from './support/listening.js'
import { settle } from './support/manualClock.js'
import { rpcRequest, TASKS } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { ask, failing, greet, required, slow, text } from './support/tools.js'

const NO_TASKS = { capabilities: {} }

describe('creating tasks', () => {
  it('advertises the extension, and no tasks capability of the 2025 kind', async () => {
    const { rpc } = startServer({ tools: [] })
    const { result } = await rpc('server/discover', {})
    expect(result?.['capabilities']).toMatchObject({ extensions: { 'io.modelcontextprotocol/tasks': {} } })
    expect(result).not.toHaveProperty('capabilities.tasks')
  })

  it('answers a call with a flat task that has not begun to wait', async () => {
    const { call } = startServer({ tools: [slow] })
    const { status, result } = await call('slow')
    expect(status).toBe(200)
    expect(result).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^[\w-]{24}$/),
      status: 'working',
      createdAt: '2026-11-01T00:00:00.000Z',
      lastUpdatedAt: '2026-11-01T00:00:00.000Z',
      ttlMs: null,
      pollIntervalMs: 1000,
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1.0.0' } },
    })
  })

  it('answers only once the task would be found, and starts the work no sooner', async () => {
    const store = new InMemoryTaskStore()
    const create = store.create.bind(store)
    let isDurable = false
    let stored = () => {}
    store.create = async (record) => {
      await new Promise<void>((resolve) => {
        stored = resolve
      })
      isDurable = true
      await create(record)
    }
    const handler = vi.fn(() => text(`durable: ${isDurable}`))
    const { call, get } = startServer({ store, tools: [defineTool({ ...slow, handler })] })
    const answer = call('slow')
    const answered = vi.fn()
    void answer.then(answered)
    await settle()
    expect(answered).not.toHaveBeenCalled()
    expect(handler).not.toHaveBeenCalled()
    stored()
    const { result } = await answer
    expect(await get(String(result?.['taskId']))).toMatchObject({ result: text('durable: true') })
  })

  it('takes the words of the tool over those of the server', async () => {
    const tool = defineTool({ ...slow, ttlMs: 5000, pollIntervalMs: 250 })
    const { start, get, clock } = startServer({ tools: [tool], pollIntervalMs: 9000, defaultTtlMs: null })
    const taskId = await start('slow')
    await clock.advance(1000)
    expect(await get(taskId)).toMatchObject({ status: 'completed', ttlMs: 6000, pollIntervalMs: 250 })
  })

  it('says null where tasks are kept without limit', async () => {
    const { start, get, clock } = startServer({ tools: [slow], defaultTtlMs: null })
    const taskId = await start('slow')
    await clock.advance(1000)
    expect(await get(taskId)).toMatchObject({ status: 'completed', ttlMs: null })
  })

  it('goes on when the client that made the call hangs up', async () => {
    const { server, clock, get } = startServer({ tools: [slow] })
    const client = new AbortController()
    const response = await server.fetch(
      rpcRequest('tools/call', { name: 'slow', arguments: {} }, { signal: client.signal }),
    )
    const { result } = (await response.json()) as { result: { taskId: string } }
    client.abort()
    await clock.advance(1000)
    expect(await get(result.taskId)).toMatchObject({ status: 'completed' })
  })

  it('creates nothing for a client that has hung up before', async () => {
    const store = new InMemoryTaskStore()
    const client = new AbortController()
    const augment = () => {
      client.abort()
      return true
    }
    const { server } = startServer({ store, tools: [slow], augment })
    await server.fetch(rpcRequest('tools/call', { name: 'slow', arguments: {} }, { signal: client.signal }))
    await settle()
    expect(store.size).toBe(0)
  })

  it('hands the work to the platform to keep alive', async () => {
    const { clock, start } = startServer({ tools: [slow] })
    const work: Promise<unknown>[] = []
    const isOver = vi.fn()
    await start('slow', {}, { waitUntil: (promise) => work.push(promise) })
    void Promise.all(work).then(isOver)
    await settle()
    expect(isOver).not.toHaveBeenCalled()
    await clock.advance(1000)
    expect(isOver).toHaveBeenCalled()
  })

  it('sends no notifications, though the client asked for progress', async () => {
    const { call } = startServer({ tools: [slow] })
    const { headers } = await call('slow', {}, { meta: { progressToken: 7 } })
    expect(headers.get('content-type')).toBe('application/json')
  })
})

describe('tasks that are over at their creation', () => {
  const answering = (handler: ToolDefinition['handler']) => defineTool({ ...slow, handler })

  it.each<[string, ToolDefinition['handler']]>([
    ['a result', () => text('known')],
    ['a promise', async () => text('known')],
    [
      'after it has said something',
      async (_, { progress, sleep }) => {
        await progress('Looking it up')
        await sleep(0)
        return text('known')
      },
    ],
  ])('are answered with their status where the tool returns %s, and tasks/get has the result', async (_, handler) => {
    const { call, get, clock } = startServer({ tools: [answering(handler)] })
    const { result } = await call('slow')
    expect(result).toEqual({
      resultType: 'task',
      taskId: expect.any(String),
      status: 'completed',
      createdAt: '2026-11-01T00:00:00.000Z',
      lastUpdatedAt: expect.stringMatching(/^2026-11-01T00:00:00.00[12]Z$/),
      ttlMs: 3_600_000,
      pollIntervalMs: 1000,
      _meta: expect.anything(),
    })
    expect(await get(String(result?.['taskId']))).toMatchObject({ status: 'completed', result: text('known') })
    // That of the sweeper: nothing has been waited for.
    expect(clock.pending).toBe(1)
  })

  it('have completed with isError, and failed with what the tool throws', async () => {
    const { call, get } = startServer({ tools: [failing] })
    const unable = await call('failing', { how: 'isError' })
    expect(unable.result).toMatchObject({ resultType: 'task', status: 'completed' })
    expect(await get(String(unable.result?.['taskId']))).toMatchObject({ result: { isError: true } })

    const failed = await call('failing', { how: 'protocol' })
    expect(failed.result).toMatchObject({ resultType: 'task', status: 'failed', statusMessage: 'Out of paper' })
    expect(failed.result).not.toHaveProperty('error')
    expect(await get(String(failed.result?.['taskId']))).toMatchObject({ error: { code: -32050, data: { tray: 2 } } })
  })

  it('are answered only once their outcome would be found', async () => {
    const store = new InMemoryTaskStore()
    const transition = store.transition.bind(store)
    let stored = () => {}
    store.transition = async (...change) => {
      await new Promise<void>((resolve) => {
        stored = resolve
      })
      return transition(...change)
    }
    const { call, get } = startServer({ store, tools: [answering(() => text('known'))] })
    const answer = call('slow')
    const answered = vi.fn()
    void answer.then(answered)
    await settle()
    expect(answered).not.toHaveBeenCalled()
    stored()
    const { result } = await answer
    expect(result).toMatchObject({ status: 'completed' })
    expect(await get(String(result?.['taskId']))).toMatchObject({ status: 'completed' })
  })

  it('are at work where their outcome cannot be stored, as every later poll says', async () => {
    const store = new InMemoryTaskStore()
    store.transition = () => Promise.reject(new Error('disk full at /var/lib'))
    const { call, get, errors } = startServer({ store, tools: [answering(() => text('known'))] })
    const { result } = await call('slow')
    expect(result).toMatchObject({ resultType: 'task', status: 'working' })
    expect(await get(String(result?.['taskId']))).toMatchObject({ status: 'working' })
    expect(errors).toMatchObject([{ context: { source: 'server' } }])
  })

  it('are those of tools that wait for nothing: whatever a tool waits for, the client does not', async () => {
    const waiting = answering(async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return text('looked up')
    })
    const { call, get } = startServer({ tools: [waiting, ask] })
    const { result } = await call('slow')
    expect(result).toMatchObject({ status: 'working' })
    expect(await get(String(result?.['taskId']))).toMatchObject({ result: text('looked up') })

    const asked = await call('ask')
    expect(asked.result).toMatchObject({ status: 'working' })
    expect(asked.result).not.toHaveProperty('inputRequests')
  })

  it('take no place of an owner, and tell those who listen at once', async () => {
    const t = startServer({ tools: [answering(() => text('known'))], maxTasksPerOwner: 1 })
    const taskIds = [await t.start('slow')]
    expect((await t.call('slow')).result).toMatchObject({ status: 'completed' })
    const stream = await listen(t, { taskIds })
    expect((await stream.messages()).map(gist)).toEqual([
      ['subscriptions/acknowledged', { taskIds }],
      ['tasks', 'completed'],
      ['end'],
    ])
  })
})

describe('calls that become no task', () => {
  it('answers tools that cannot be tasks directly', async () => {
    const { call } = startServer({ tools: [greet] })
    expect((await call('greet', { name: 'Luca' })).result).toMatchObject({
      resultType: 'complete',
      ...text('Hello, Luca!'),
    })
  })

  it('answers clients that did not declare the extension directly', async () => {
    const tool = defineTool({ ...slow, handler: (_, { taskId }) => text(`task: ${taskId}`) })
    const { call } = startServer({ tools: [tool] })
    expect((await call('slow', {}, NO_TASKS)).result).toMatchObject({
      resultType: 'complete',
      ...text('task: undefined'),
    })
  })

  it.each([
    ['a bare key of _meta', { meta: { 'io.modelcontextprotocol/tasks': {} } }],
    ['a capability outside of extensions', { capabilities: { 'io.modelcontextprotocol/tasks': {} } }],
    ['the capability of the 2025 revisions', { capabilities: { tasks: { requests: { tools: { call: {} } } } } }],
  ])('does not take %s for a declaration', async (_, options) => {
    const tool = defineTool({ ...slow, handler: () => text('direct') })
    const { call } = startServer({ tools: [tool] })
    expect((await call('slow', {}, { ...NO_TASKS, ...options })).result).toMatchObject(text('direct'))
  })

  it('remembers no declaration from one request to the next', async () => {
    const { call } = startServer({ tools: [required] })
    expect((await call('required')).result).toMatchObject({ resultType: 'task' })
    expect((await call('required', {}, NO_TASKS)).error?.code).toBe(-32021)
  })

  it('ignores the task parameter of the 2025 revisions, with and without a declaration', async () => {
    const { rpc } = startServer({ tools: [greet, defineTool({ ...slow, handler: () => text('direct') })] })
    const task = { ttl: 60_000, pollInterval: 100 }
    const greeted = await rpc('tools/call', { name: 'greet', arguments: { name: 'Luca' }, task })
    expect(greeted.result).toMatchObject(text('Hello, Luca!'))
    const called = await rpc('tools/call', { name: 'slow', arguments: {}, task }, NO_TASKS)
    expect(called.result).toMatchObject(text('direct'))
  })

  it('refuses a tool that must be a task to clients that cannot have one, without running it', async () => {
    const handler = vi.fn(() => text(''))
    const { call } = startServer({ tools: [defineTool({ ...required, handler, prepare: () => handler() })] })
    const { status, error } = await call('required', {}, NO_TASKS)
    expect(status).toBe(400)
    expect(error).toEqual({
      code: -32021,
      message: expect.stringContaining('declare the extension io.modelcontextprotocol/tasks'),
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
    expect(handler).not.toHaveBeenCalled()
  })

  it('asks augment about every call that could become a task, and about no other', async () => {
    const augment = vi.fn(({ arguments: args }) => (args as { ms: number }).ms > 100)
    const tool = defineTool({ ...slow, handler: () => text('direct') })
    const { call } = startServer({ tools: [tool, required, greet], augment })
    const authInfo = { token: 't', clientId: 'c', scopes: [] }
    expect((await call('slow', { ms: 50 }, { authInfo })).result).toMatchObject(text('direct'))
    expect((await call('slow', { ms: 500 })).result).toMatchObject({ resultType: 'task' })
    await call('required')
    await call('greet', { name: 'Luca' })
    await call('slow', {}, NO_TASKS)
    expect(augment).toHaveBeenCalledTimes(2)
    expect(augment).toHaveBeenCalledWith({
      name: 'slow',
      arguments: { ms: 50 },
      request: expect.any(Request),
      authInfo,
    })
  })

  it('answers with an error where augment fails, and tells why to nobody but the operator', async () => {
    const augment = () => Promise.reject(new Error('secret'))
    const { call, errors } = startServer({ tools: [slow], augment })
    const { error } = await call('slow')
    expect(error).toEqual({ code: -32603, message: 'The tool failed unexpectedly.' })
    expect(errors).toMatchObject([{ error: { message: 'secret' }, context: { source: 'tool', tool: 'slow' } }])
  })

  it('creates no task for arguments that are not valid', async () => {
    const store = new InMemoryTaskStore()
    const { call } = startServer({ store, tools: [slow] })
    const { result } = await call('slow', { ms: 'soon' })
    expect(result).toMatchObject({ resultType: 'complete', isError: true })
    expect(store.size).toBe(0)
  })

  it.each(['nothing', '__proto__', 'constructor'])(
    'answers -32602 where there is no tool of the name %s',
    async (name) => {
      const { call } = startServer({ tools: [slow] })
      expect((await call(name)).error?.code).toBe(-32602)
    },
  )

  it('answers with an error and runs nothing where the store cannot take the task', async () => {
    const store = new InMemoryTaskStore()
    store.create = () => Promise.reject(new Error('disk full at /var/lib'))
    const handler = vi.fn(() => text(''))
    const { call, errors } = startServer({ store, tools: [defineTool({ ...slow, handler })] })
    const { status, error } = await call('slow')
    expect({ status, error }).toEqual({
      status: 503,
      error: {
        code: -32000,
        message: 'The call was not started: the server cannot keep tasks right now. Send it again.',
      },
    })
    expect(handler).not.toHaveBeenCalled()
    expect(errors).toHaveLength(1)
  })
})

describe('input requests before a task', () => {
  const deploy = defineTool({
    name: 'deploy',
    inputSchema: z.object({}),
    taskSupport: 'optional',
    prepare(_, { inputResponses }) {
      if (inputResponses['sure'] !== undefined) return undefined
      const params = {
        mode: 'form' as const,
        message: 'Sure?',
        requestedSchema: { type: 'object' as const, properties: {} },
      }
      return {
        resultType: 'input_required',
        inputRequests: { sure: { method: 'elicitation/create', params } },
        requestState: 's',
      }
    },
    handler: (_, { inputResponses, requestState }) => text(JSON.stringify([inputResponses['sure'], requestState()])),
  })
  const declared = { capabilities: { ...TASKS, elicitation: { form: {} } } }

  it('are asked with the client waiting, and only the last round becomes a task', async () => {
    const store = new InMemoryTaskStore()
    const { call, rpc, get } = startServer({ store, tools: [deploy] })
    const asked = await call('deploy', {}, declared)
    expect(asked.result).toMatchObject({ resultType: 'input_required', inputRequests: { sure: {} }, requestState: 's' })
    expect(store.size).toBe(0)

    const inputResponses = { sure: { action: 'accept', content: {} } }
    const again = { name: 'deploy', arguments: {}, inputResponses, requestState: 's' }
    const { result } = await rpc('tools/call', again, declared)
    expect(result).toMatchObject({ resultType: 'task' })
    expect(result).not.toHaveProperty('requestState')
    expect(await get(String(result?.['taskId']))).toMatchObject({
      result: text('[{"action":"accept","content":{}},"s"]'),
    })
  })

  it('can be left out, and the call be answered at once', async () => {
    const tool = defineTool({ ...deploy, prepare: () => text('nothing to deploy') })
    const { call } = startServer({ tools: [tool] })
    expect((await call('deploy')).result).toMatchObject({ resultType: 'complete', ...text('nothing to deploy') })
  })
})
