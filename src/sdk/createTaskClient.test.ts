import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { InMemoryTaskStore } from 'taskwire/server'
import { createTestServer, scriptTask, type TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createWorkServer } from '../../test/support/workServer.js'
import type { TaskClient } from '../core/client/taskClient.js'
import { TaskConfigurationError } from '../core/protocol/errors.js'
import { createTaskClient } from './createTaskClient.js'
import type { TaskClientUrlOptions } from './sdkOptions.js'
import { withTasks } from './withTasks/withTasks.js'

let server: TestServer
let client: TaskClient

function openPage(options: Partial<TaskClientUrlOptions> = {}): TaskClient {
  const { url, environment } = server
  // One page, in which a client takes the place of another: tabs are the business of test/tabs.test.ts.
  return createTaskClient({ url, environment, crossTab: false, ...options })
}

beforeEach(() => {
  server = createWorkServer()
  client = openPage()
})

const WORK = { name: 'work', arguments: { seconds: 3 } }

const polls = () => server.times('tasks/get')

describe('createTaskClient', () => {
  it('does nothing until it is used', async () => {
    const storage = vi.fn(() => undefined)
    openPage({ environment: { ...server.environment, storage } })
    await server.advance(10_000)
    expect(server.requests).toEqual([])
    expect(storage).not.toHaveBeenCalled()
    expect(server.browser.pendingTimers()).toBe(0)
    expect(server.page.listeners()).toBe(0)
  })

  // [TASK-EITHER-RESULT]
  it('callTool() returns the final result of a task, and of a plain call', async () => {
    const work = client.callTool(WORK)
    const echo = client.callTool({ name: 'echo', arguments: { text: 'hi' } })
    await server.advance(5000)
    await expect(work).resolves.toMatchObject({ structuredContent: { seconds: 3 } })
    await expect(echo).resolves.toMatchObject({ content: [{ type: 'text', text: 'hi' }] })
    expect(polls()).toEqual([1000, 2000, 3000])
  })

  it('leaves no timer and no listener when everything has ended', async () => {
    const { environment } = server.page
    const timers = new Set<unknown>()
    const setTimeout = (callback: () => void, delayMs: number) => {
      const handle = environment.setTimeout(() => {
        timers.delete(handle)
        callback()
      }, delayMs)
      timers.add(handle)
      return handle
    }
    const clearTimeout = (handle: unknown) => {
      timers.delete(handle)
      environment.clearTimeout(handle)
    }
    client = openPage({ environment: { ...environment, setTimeout, clearTimeout } })
    const result = client.callTool(WORK)
    await server.advance(1500)
    expect(timers.size).toBeGreaterThan(0)
    await server.advance(5000)
    await result
    expect(timers.size).toBe(0)
    expect(server.page.listeners()).toBe(0)
  })

  it('a key makes a call one of a kind', async () => {
    const first = client.startToolCall(WORK, { key: 'weekly' })
    const second = client.startToolCall(WORK, { key: 'weekly' })
    expect(second.callId).toBe(first.callId)
    await server.advance(5000)
    const third = client.startToolCall(WORK, { key: 'weekly' })
    await expect(third.result).resolves.toEqual(await first.result)
    expect(server.count('tools/call')).toBe(1)
  })

  it('[DUR-73] without a key every call is one of its own', async () => {
    client.startToolCall(WORK)
    client.startToolCall(WORK)
    await server.advance(5000)
    expect(server.count('tools/call')).toBe(2)
  })

  it('repeat: "always" calls again, "settled" only after the end', async () => {
    client.startToolCall(WORK, { key: 'weekly' })
    await server.advance(500)
    client.startToolCall(WORK, { key: 'weekly', repeat: 'settled' })
    await server.advance(100)
    expect(server.count('tools/call')).toBe(1)
    client.startToolCall(WORK, { key: 'weekly', repeat: 'always' })
    await server.advance(5000)
    expect(server.count('tools/call')).toBe(2)
    client.startToolCall(WORK, { key: 'weekly', repeat: 'settled' })
    await server.advance(5000)
    expect(server.count('tools/call')).toBe(3)
  })

  it('aborting the signal detaches this handle only', async () => {
    const abort = new AbortController()
    const mine = client.startToolCall(WORK, { key: 'weekly', signal: abort.signal })
    const other = client.startToolCall(WORK, { key: 'weekly' })
    await server.advance(1500)
    abort.abort(new Error('left'))
    await expect(mine.result).rejects.toThrow('left')
    await server.advance(5000)
    await expect(other.result).resolves.toBeDefined()
    expect(server.count('tasks/cancel')).toBe(0)
  })

  it('a signal that has aborted before sends nothing', async () => {
    await expect(client.callTool(WORK, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no')
    await server.advance(5000)
    expect(server.requests).toEqual([])
  })

  it('detached and lazy, a task is left alone until somebody asks for it, and the floor holds', async () => {
    client = openPage({ resume: 'lazy' })
    const call = client.startToolCall(WORK, { key: 'weekly' })
    await server.advance(1500)
    call.detach()
    await expect(call.result).rejects.toMatchObject({ name: 'AbortError' })
    await server.advance(200)
    const again = client.startToolCall(WORK, { key: 'weekly' })
    await server.advance(0)
    expect(polls()).toEqual([1000])
    await server.advance(5000)
    await expect(again.result).resolves.toBeDefined()
    expect(polls()).toEqual([1000, 2000, 3000])
  })

  it('the store has the call, and the handle sees the same', async () => {
    const seen: string[] = []
    const call = client.startToolCall(WORK)
    const stop = call.subscribe((state) => seen.push(`${state.phase} ${state.task?.statusMessage ?? ''}`.trim()))
    await server.advance(1000)
    expect(client.store.getState().calls[call.callId]).toBe(call.getState())
    await server.advance(5000)
    stop()
    expect(seen).toEqual(['working', 'working step 1', 'working step 2', 'completed'])
  })

  it('polls that bring nothing new call no subscriber', async () => {
    client.startToolCall({ name: 'work', arguments: { seconds: 60, quiet: true } })
    await server.advance(1000)
    const listener = vi.fn()
    client.store.subscribe(listener)
    await server.advance(20_000)
    expect(server.count('tasks/get')).toBe(21)
    expect(listener).not.toHaveBeenCalled()
  })

  it('a subscriber that throws does not stop a task from being followed', async () => {
    const thrown: unknown[] = []
    const setTimeout = (callback: () => void, delayMs: number) =>
      server.environment.setTimeout(() => {
        try {
          callback()
        } catch (error) {
          thrown.push(error)
        }
      }, delayMs)
    client = openPage({ environment: { ...server.environment, setTimeout } })
    client.store.subscribe(() => {
      throw new Error('a bug of the app')
    })
    const call = client.startToolCall(WORK)
    await server.advance(5000)
    await expect(call.result).resolves.toBeDefined()
    expect(thrown).toContainEqual(expect.objectContaining({ message: 'a bug of the app' }))
  })

  it.each([
    { maxConcurrent: 2, expected: 2 },
    { maxConcurrent: undefined, expected: 5 },
  ])('no more polls than maxConcurrent ($maxConcurrent) are under way', async ({ maxConcurrent, expected }) => {
    let running = 0
    let most = 0
    const slow: typeof server.fetch = async (url, init) => {
      const isPoll = new Headers(init?.headers).get('mcp-method') === 'tasks/get'
      if (isPoll) most = Math.max(most, ++running)
      await new Promise<void>((resolve) => server.environment.setTimeout(() => resolve(), 10))
      const response = await server.fetch(url, init)
      if (isPoll) running -= 1
      return response
    }
    const poll = maxConcurrent === undefined ? {} : { maxConcurrent }
    client = openPage({ poll, transportOptions: { fetch: slow } })
    const calls = Array.from({ length: 9 }, () => client.callTool({ name: 'work', arguments: { seconds: 1 } }))
    await server.advance(10_000)
    await expect(Promise.all(calls)).resolves.toHaveLength(9)
    expect(most).toBe(expected)
  })

  describe('cancel', () => {
    it('after the response asks the server, once, and the task says what became of it', async () => {
      const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } })
      await server.advance(1500)
      await Promise.all([call.cancel(), call.cancel()])
      expect(call.getState()).toMatchObject({ isCancelling: true, phase: 'working' })
      await server.advance(1000)
      expect(call.getState()).toMatchObject({ isCancelling: false, phase: 'cancelled' })
      await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
      expect(server.count('tasks/cancel')).toBe(1)
    })

    it('before the response aborts the request, the MCP way', async () => {
      let aborted = false
      const hanging: typeof server.fetch = (url, init) => {
        if (new Headers(init?.headers).get('mcp-method') !== 'tools/call') return server.fetch(url, init)
        return new Promise((_, reject) =>
          init?.signal?.addEventListener('abort', () => {
            aborted = true
            reject(init.signal?.reason)
          }),
        )
      }
      client = openPage({ transportOptions: { fetch: hanging } })
      const call = client.startToolCall(WORK)
      await server.advance(500)
      await call.cancel()
      await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
      expect(aborted).toBe(true)
      expect(call.getState().phase).toBe('cancelled')
      expect(server.count('tasks/cancel')).toBe(0)
    })

    it('[DUR-58] is sticky across a reload', async () => {
      const long = { name: 'work', arguments: { seconds: 60 } }
      const call = client.startToolCall(long, { key: 'k' })
      await server.advance(1500)
      await call.cancel()
      await client.close()
      client = openPage()
      const again = client.startToolCall(long, { key: 'k' })
      await server.advance(0)
      expect(again.getState()).toMatchObject({ isCancelling: true, phase: 'working' })
      await server.advance(2000)
      expect(again.getState().phase).toBe('cancelled')
      expect(server.count('tasks/cancel')).toBe(1)
    })
  })

  describe('across a reload', () => {
    // [TASK-PERSIST]
    it('connect() takes up what an earlier visit left running', async () => {
      client.startToolCall(WORK)
      await server.advance(1500)
      await client.close()
      client = openPage()
      await Promise.all([client.connect(), server.advance(0)])
      await server.advance(5000)
      expect(Object.values(client.store.getState().calls)).toMatchObject([{ name: 'work', phase: 'completed' }])
      expect(server.count('tools/call')).toBe(1)
    })

    it('[DUR-29] a call that never got its response is interrupted, not made again, until the app says so', async () => {
      server = createWorkServer({ idempotentCalls: false })
      client = openPage()
      server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call', times: 1 })
      openPage().startToolCall(WORK, { key: 'k' })
      await server.advance(500)

      const call = client.startToolCall(WORK, { key: 'k' })
      await server.advance(500)
      await expect(call.result).rejects.toMatchObject({ name: 'ToolCallInterruptedError', toolName: 'work' })
      expect(server.count('tools/call')).toBe(1)

      const again = client.startToolCall(WORK, { key: 'k', repeat: 'always' })
      await server.advance(5000)
      await expect(again.result).resolves.toBeDefined()
      expect(server.count('tools/call')).toBe(2)
    })

    it.each([
      ['readOnlyHint', 2],
      ['idempotentHint', 2],
      ['openWorldHint', 1],
    ])('[DUR-30] a call that never got its response, of a tool with %s, is made %i times', async (hint, times) => {
      const tool = scriptTask([{ status: 'working' }], { name: 'tool', annotations: { [hint]: true } })
      server = createTestServer({ tools: [tool], idempotentCalls: false })
      server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call', times: 1 })
      openPage().startToolCall({ name: 'tool' }, { key: 'k' })
      await server.advance(500)
      openPage().startToolCall({ name: 'tool' }, { key: 'k' })
      await server.advance(500)
      expect(server.count('tools/call')).toBe(times)
    })

    it('[DUR-56] a task that the server has lost stays lost under its key, until the app calls anew', async () => {
      const store = new InMemoryTaskStore()
      server = createWorkServer({ store })
      const lost = openPage().startToolCall(WORK, { key: 'k' })
      await server.advance(1500)
      await store.remove(lost.getState().task?.taskId ?? '')
      await server.advance(3500)

      client = openPage()
      const call = client.startToolCall(WORK, { key: 'k' })
      await server.advance(5000)
      await expect(call.result).rejects.toMatchObject({ name: 'TaskExpiredError' })
      expect(server.count('tools/call')).toBe(1)

      client.startToolCall(WORK, { key: 'k', repeat: 'settled' })
      await server.advance(500)
      expect(server.count('tools/call')).toBe(2)
    })

    it('[DUR-72] a call that was answered at once is made again, although it has a key', async () => {
      const echo = () => client.startToolCall({ name: 'echo', arguments: { text: 'hi' } }, { key: 'k' })
      const first = echo()
      await server.advance(500)
      await client.close()
      client = openPage()
      const second = echo()
      await server.advance(500)
      await expect(second.result).resolves.toEqual(await first.result)
      expect(server.count('tools/call')).toBe(2)
    })

    it('[DUR-07] nothing that opens a door is recorded: no header, and not the query of the URL', async () => {
      client = openPage({
        url: `${server.url}?key=secret`,
        transportOptions: { requestInit: { headers: { Authorization: 'Bearer secret' } } },
      })
      client.startToolCall(WORK)
      await server.advance(1500)
      const { local } = server.browser.storage
      const key = local.key(0) ?? ''
      expect(local.length).toBe(1)
      expect(`${key} ${local.getItem(key)}`).not.toContain('secret')
    })

    it('another scope sees nothing of it', async () => {
      client = openPage({ scope: 'anna' })
      client.startToolCall(WORK, { key: 'k' })
      await server.advance(500)
      await client.close()
      client = openPage({ scope: 'ben' })
      await expect(client.resumeToolCalls()).resolves.toEqual([])
      client.startToolCall(WORK, { key: 'k' })
      await server.advance(500)
      expect(server.count('tools/call')).toBe(2)
    })
  })

  describe('forget', () => {
    it('drops a call from store and storage, and leaves its task alone', async () => {
      const call = client.startToolCall(WORK)
      await server.advance(500)
      await client.forget({ callId: call.callId })
      await expect(call.result).rejects.toMatchObject({ name: 'AbortError' })
      await server.advance(5000)
      expect(client.store.getState().calls).toEqual({})
      expect(polls()).toEqual([])
      expect(server.count('tasks/cancel')).toBe(0)
      await expect(openPage().resumeToolCalls()).resolves.toEqual([])
    })

    it.each([{ callId: undefined }, { callId: '' }, { callId: 'a', scope: 'b' }, { id: 'a' }, { scope: 7 }, null, 'a'])(
      'of %j is refused, and drops nothing',
      async (filter) => {
        const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'k' })
        await server.advance(1000)
        await expect(client.forget(filter as never)).rejects.toThrow(TaskConfigurationError)
        expect(client.getToolCall(call.callId)).toBeDefined()
      },
    )

    it('[DUR-09] forget() drops every call of the scope, and of no other', async () => {
      const other = openPage({ scope: 'other' })
      other.startToolCall(WORK)
      client.startToolCall(WORK)
      client.startToolCall(WORK)
      await server.advance(500)
      await client.forget()
      expect(client.store.getState().calls).toEqual({})
      await expect(openPage().resumeToolCalls()).resolves.toEqual([])
      await expect(openPage({ scope: 'other' }).resumeToolCalls()).resolves.toHaveLength(1)
      await client.forget({ scope: 'other' })
      await expect(openPage({ scope: 'other' }).resumeToolCalls()).resolves.toEqual([])
    })
  })

  describe('the manual path', () => {
    it('callToolRaw() hands a task over as a task, unpolled and unrecorded', async () => {
      const [raw] = await Promise.all([client.callToolRaw(WORK), server.advance(0)])
      if (raw.type !== 'task') throw new Error('expected a task')
      await server.advance(5000)
      expect(polls()).toEqual([])
      expect(client.store.getState().calls).toEqual({})
      await expect(client.tasks.get(raw.task.taskId)).resolves.toMatchObject({ status: 'completed' })
      await expect(client.callToolRaw({ name: 'echo', arguments: { text: 'x' } })).resolves.toMatchObject({
        type: 'result',
      })
    })

    it('tasks.cancel() and a task that is not ours', async () => {
      const [raw] = await Promise.all([
        client.callToolRaw({ name: 'work', arguments: { seconds: 60 } }),
        server.advance(0),
      ])
      if (raw.type !== 'task') throw new Error('expected a task')
      await client.tasks.cancel(raw.task.taskId)
      await server.advance(0)
      await expect(client.tasks.get(raw.task.taskId)).resolves.toMatchObject({ status: 'cancelled' })
      await expect(client.tasks.get('not-ours')).rejects.toMatchObject({
        name: 'TaskExpiredError',
        reason: 'unknown-task',
      })
    })

    it('resumeTask() follows a task by its id, at once and once', async () => {
      const [raw] = await Promise.all([client.callToolRaw(WORK), server.advance(0)])
      if (raw.type !== 'task') throw new Error('expected a task')
      const call = client.resumeTask({ taskId: raw.task.taskId, name: 'work' })
      await server.advance(0)
      expect(client.resumeTask(raw.task.taskId).callId).toBe(call.callId)
      await server.advance(5000)
      await expect(call.result).resolves.toMatchObject({ structuredContent: { seconds: 3 } })
      expect(polls()).toEqual([0, 1000, 2000, 3000])
    })
  })

  describe('an SDK client of the app', () => {
    const sdkClient = () => new Client({ name: 'app', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    const http = () => new StreamableHTTPClientTransport(new URL(server.url), { fetch: server.fetch })

    it('connected over withTasks(), it is used as it is', async () => {
      const sdk = sdkClient()
      await sdk.connect(withTasks(http(), { environment: server.environment }))
      client = createTaskClient({ client: sdk, environment: server.environment })
      const result = client.callTool(WORK)
      await server.advance(5000)
      await expect(result).resolves.toMatchObject({ structuredContent: { seconds: 3 } })
    })

    it('not connected yet, it is connected over the transport given', async () => {
      client = createTaskClient({ client: sdkClient(), transport: http(), environment: server.environment })
      const result = client.callTool(WORK)
      await server.advance(5000)
      await expect(result).resolves.toMatchObject({ structuredContent: { seconds: 3 } })
    })

    it.each([
      ['not connected', async () => sdkClient(), 'is not connected'],
      [
        'connected without withTasks()',
        async () => {
          const sdk = sdkClient()
          await sdk.connect(http())
          return sdk
        },
        'Connect it over withTasks(transport)',
      ],
    ])('%s, it says what to do', async (_, make, message) => {
      client = createTaskClient({ client: await make(), environment: server.environment })
      const result = client.callTool(WORK)
      result.catch(() => {})
      await server.advance(100)
      await expect(result).rejects.toThrow(TaskConfigurationError)
      await expect(result).rejects.toThrow(message)
    })
  })

  it.each([
    ['no options', undefined],
    ['no url', {}],
    ['an empty url', { url: '' }],
    ['a url that is none', { url: 'http://' }],
    ['a url of another kind', { url: 'ftp://example.com' }],
    ['a storage that is none', { url: 'http://localhost/mcp', storage: { getItem: () => null } }],
    ['an interval that is none', { url: 'http://localhost/mcp', poll: { defaultIntervalMs: Number.NaN } }],
    ['a backoff below zero', { url: 'http://localhost/mcp', retry: { baseMs: -1 } }],
  ])('%s is a TaskConfigurationError', (_, options) => {
    expect(() => createTaskClient(options as unknown as TaskClientUrlOptions)).toThrow(TaskConfigurationError)
  })

  it.each([
    ['no tool', {}],
    ['an empty name', { name: '' }],
    ['arguments that are a list', { name: 'work', arguments: [] }],
    ['arguments that are null', { name: 'work', arguments: null }],
    ['arguments that are a text', { name: 'work', arguments: 'seconds' }],
    ['no params', undefined],
  ])('a call with %s is a TaskConfigurationError', async (_, params) => {
    await expect(client.callTool(params as unknown as { name: string })).rejects.toThrow(TaskConfigurationError)
    expect(server.requests).toEqual([])
  })

  it('a call with arguments that are no JSON says why', async () => {
    const seconds: Record<string, unknown> = {}
    seconds['seconds'] = seconds
    const error: unknown = await client.callTool({ name: 'work', arguments: seconds }).catch((reason) => reason)
    expect(error).toBeInstanceOf(TaskConfigurationError)
    expect((error as Error).message).toContain('The arguments of "work" are not JSON: ')
    expect((error as Error).cause).toBeInstanceOf(TypeError)
  })

  it.each([undefined, null, '', 7, {}, { taskId: '' }, { taskId: 7 }])('resumeTask(%j) says what it needs', (task) => {
    expect(() => client.resumeTask(task as string)).toThrow(new TaskConfigurationError('resumeTask needs a task id.'))
    expect(server.requests).toEqual([])
  })

  it('onToolCallSettled() tells of each call that ends, until it is unsubscribed', async () => {
    const listener = vi.fn()
    const unsubscribe = client.onToolCallSettled(listener)
    const first = client.startToolCall(WORK)
    await server.advance(10_000)
    expect(listener.mock.calls).toEqual([[first.getState()]])
    unsubscribe()
    const second = client.startToolCall(WORK)
    await server.advance(10_000)
    expect(second.getState().phase).toBe('completed')
    expect(listener).toHaveBeenCalledOnce()
  })

  it('toolCallId() is the id of the call with the key', () => {
    const { callId } = client.startToolCall(WORK, { key: 'weekly' })
    expect(client.toolCallId('work', 'weekly')).toBe(callId)
  })

  it('after close() says so', async () => {
    await client.close()
    const result = client.callTool(WORK)
    result.catch(() => {})
    await server.advance(100)
    await expect(result).rejects.toThrow('closed')
    expect(client.store.getState().connection.status).toBe('closed')
  })
})
