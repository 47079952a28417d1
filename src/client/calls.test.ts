import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { InMemoryTaskStore } from 'taskwire/server'
import type { TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createWorkServer } from '../../test/support/workServer.js'
import type { Channel, Environment } from '../environment/environment.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import type { TaskStorage } from '../storage/taskStorage.js'
import { createTaskClient } from './createTaskClient.js'
import type { TaskClientUrlOptions } from './sdkOptions.js'
import type { TaskClient } from './taskClient.js'

let server: TestServer
let client: TaskClient

function openPage(options: Partial<TaskClientUrlOptions> = {}): TaskClient {
  const { url, environment } = server
  return createTaskClient({ url, environment, crossTab: false, ...options })
}

/** A client with a tab of its own, in the browser of all others. */
function openTab(options: Partial<TaskClientUrlOptions> = {}): TaskClient {
  return createTaskClient({ url: server.url, environment: server.browser.openPage().environment, ...options })
}

beforeEach(() => {
  server = createWorkServer()
  client = openPage()
})

const WORK = { name: 'work', arguments: { seconds: 3 } }
const LONG = { name: 'work', arguments: { seconds: 600, quiet: true } }
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const calls = (of = client) => Object.values(of.store.getState().calls)
const keys = () =>
  Array.from({ length: server.browser.storage.local.length }, (_, i) => server.browser.storage.local.key(i))

async function createTask(params: { name: string; arguments: Record<string, unknown> } = LONG): Promise<string> {
  const [raw] = await Promise.all([client.callToolRaw(params), server.advance(0)])
  if (raw.type !== 'task') throw new Error('expected a task')
  return raw.task.taskId
}

/** The error of a call that has ended. */
function failureOf(result: Promise<unknown>): Promise<unknown> {
  return Promise.race([result, Promise.resolve().then(() => Promise.resolve('still waits'))]).catch(
    (error: unknown) => error,
  )
}

describe('close()', () => {
  it('resolves when what is known is written down', async () => {
    const written: string[] = []
    let storage: TaskStorage | undefined
    const slow: TaskStorage = {
      getItem: (key) => storage?.getItem(key) ?? null,
      setItem: async (key, value) => {
        await new Promise((resolve) => server.environment.setTimeout(() => resolve(undefined), 50))
        written.push(value)
        storage = { ...slow, getItem: (other) => (other === key ? value : null) }
      },
      removeItem: () => {},
      keys: () => [],
    }
    client = openPage({ storage: slow })
    client.startToolCall(LONG)
    await server.advance(2500)
    const before = written.length
    const closed = vi.fn()
    const closing = client.close().then(closed)
    await server.advance(49)
    expect(closed).not.toHaveBeenCalled()
    await server.advance(1)
    await closing
    expect(written).toHaveLength(before + 1)
    expect(JSON.parse(written.at(-1) ?? '{}')).toMatchObject({ task: { nextPollAt: expect.any(Number) } })
  })

  it('ends what waits for a call, and leaves no call and no timer behind', async () => {
    const call = client.startToolCall(LONG)
    await server.advance(500)
    expect(server.page.timers()).toBeGreaterThan(0)
    await client.close()
    expect(server.page.timers()).toBe(0)
    expect(calls()).toEqual([])
    await expect(failureOf(call.result)).resolves.toMatchObject({
      name: 'AbortError',
      message: 'The task client was closed; its tasks go on.',
    })
  })

  it('while resumeToolCalls() reads storage takes nothing up', async () => {
    client.startToolCall(LONG)
    await server.advance(500)
    await client.close()

    client = openPage()
    const resuming = client.resumeToolCalls()
    await client.close()
    await server.advance(5000)
    await expect(resuming).resolves.toEqual([])
    expect(calls()).toEqual([])
    expect(server.page.timers()).toBe(0)
  })

  it.each([
    ['startToolCall()', () => client.startToolCall(WORK)],
    ['resumeTask()', () => client.resumeTask('task-1')],
  ])('%s after it fails, and leaves no timer', async (_, begin) => {
    await client.close()
    const call = begin()
    await server.advance(0)
    await expect(failureOf(call.result)).resolves.toMatchObject({ name: 'TaskConfigurationError' })
    expect(call.getState()).toMatchObject({ phase: 'failed' })
    await expect(call.respond('q', { action: 'decline' })).rejects.toThrow('closed')
    await call.cancel()
    await server.advance(5000)
    expect(server.page.timers()).toBe(0)
    expect(server.requests).toEqual([])
    expect(keys()).toEqual([])
  })
})

it('resumeTask() over a client that nobody has connected says what to do', async () => {
  const sdk = new Client({ name: 'app', version: '1.0.0' })
  client = createTaskClient({ client: sdk, environment: server.environment, crossTab: false })
  const call = client.resumeTask('task-1')
  await server.advance(1000)
  await expect(failureOf(call.result)).resolves.toMatchObject({ message: expect.stringContaining('is not connected') })
  expect(server.page.timers()).toBe(0)
})

it('a call that failed because nobody had connected the client is made once somebody has', async () => {
  const sdk = new Client({ name: 'app', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  client = createTaskClient({ client: sdk, environment: server.environment, crossTab: false })
  const call = client.startToolCall(WORK, { key: 'k' })
  await server.advance(1000)
  await expect(failureOf(call.result)).resolves.toBeInstanceOf(TaskConfigurationError)
  const again = client.startToolCall(WORK, { key: 'k' })
  expect(again.getState().phase).toBe('calling')
})

describe('resumeTask()', () => {
  it('twice in one tick follows the task once', async () => {
    const taskId = await createTask()
    const [first, second] = [client.resumeTask(taskId), client.resumeTask({ taskId, name: 'work' })]
    await server.advance(1500)
    expect(second.callId).toBe(first.callId)
    expect(calls()).toHaveLength(1)
    expect(server.times('tasks/get')).toEqual([0, 1000])
  })

  it('at each visit is the same call, with one record', async () => {
    const taskId = await createTask()
    const first = client.resumeTask(taskId)
    await server.advance(500)
    for (let visit = 0; visit < 3; visit++) {
      await client.close()
      client = openPage()
      const call = client.resumeTask(taskId)
      await Promise.all([client.resumeToolCalls(), server.advance(100)])
      expect(call.callId).toBe(first.callId)
      expect(calls()).toHaveLength(1)
    }
    expect(keys()).toHaveLength(1)
  })

  it('of a task that an earlier visit noted under a key follows it once', async () => {
    const started = client.startToolCall(LONG, { key: 'k' })
    await server.advance(500)
    const taskId = started.getState().task?.taskId ?? ''
    await client.close()
    client = openPage()
    const call = client.resumeTask(taskId)
    const [resumed] = await Promise.all([client.resumeToolCalls(), server.advance(0)])
    expect(new Set(resumed.map(({ callId }) => callId))).toEqual(new Set([call.callId]))
    expect(calls()).toHaveLength(1)
  })

  it('with a key does not forget what an earlier visit noted of the task', async () => {
    const started = client.startToolCall(LONG, { key: 'k' })
    await server.advance(500)
    const taskId = started.getState().task?.taskId ?? ''
    await client.close()
    const [key = ''] = keys()
    const record = JSON.parse(server.browser.storage.local.getItem(key ?? '') ?? '')
    record.task.answered = ['q1']
    server.browser.storage.local.setItem(key ?? '', JSON.stringify(record))
    client = openPage()
    client.resumeTask({ taskId, name: 'work' }, { key: 'k' })
    await server.advance(500)
    expect(JSON.parse(server.browser.storage.local.getItem(key ?? '') ?? '').task.answered).toEqual(['q1'])
  })

  it('with a key takes the place of what has ended under it, also after a reload', async () => {
    const ended = client.startToolCall(WORK, { key: 'k' })
    await server.advance(5000)
    await ended.result
    await client.close()
    client = openPage()
    const taskId = await createTask()
    client.resumeTask({ taskId, name: 'work' }, { key: 'k' })
    await server.advance(500)
    await client.close()
    client = openPage()
    const [resumed] = await Promise.all([client.resumeToolCalls(), server.advance(0)])
    expect(resumed.map((call) => call.getState().task?.taskId)).toEqual([taskId])
  })

  it('with a key needs the name of the tool', () => {
    expect(() => client.resumeTask('task-1', { key: 'k' })).toThrow(TaskConfigurationError)
    expect(() => client.resumeTask('task-1', { key: 'k' })).toThrow('name')
  })

  it('with the key of a call that runs leaves that alone', async () => {
    const taskId = await createTask()
    const running = client.startToolCall(LONG, { key: 'k' })
    const resume = () => client.resumeTask({ taskId, name: 'work' }, { key: 'k' })
    expect(resume).toThrow(TaskConfigurationError)
    await server.advance(500)
    expect(resume).toThrow(TaskConfigurationError)
    expect(running.getState().phase).toBe('working')
  })
})

describe('forget() of every call', () => {
  it.each([undefined, ''])('spares the call made after it (scope %j)', async (scope) => {
    client = openTab()
    client.startToolCall(LONG)
    await server.advance(500)
    await client.forget(scope === undefined ? {} : { scope })
    const call = client.startToolCall(WORK)
    await server.advance(5000)
    await expect(failureOf(call.result)).resolves.toMatchObject({ structuredContent: { seconds: 3 } })
  })

  it('reaches the other tabs, also of a client that has not been used', async () => {
    const other = openTab()
    other.startToolCall(LONG)
    await server.advance(500)
    await openTab().forget()
    await server.advance(100)
    expect(calls(other)).toEqual([])
  })

  it('reaches the tabs of another scope', async () => {
    const other = openTab({ scope: 'anna' })
    other.startToolCall(LONG)
    const mine = openTab()
    mine.startToolCall(LONG)
    await server.advance(500)
    await mine.forget({ scope: 'anna' })
    await server.advance(100)
    expect(calls(other)).toEqual([])
    expect(calls(mine)).toHaveLength(1)
  })
})

describe('forget({ callId })', () => {
  it('reaches the other tabs, also of a client that has not been used', async () => {
    const other = openTab()
    const { callId } = other.startToolCall(LONG, { key: 'k' })
    await server.advance(500)
    await openTab().forget({ callId })
    await server.advance(100)
    expect(calls(other)).toEqual([])
  })

  it('reaches a page in the back-forward cache once that is back', async () => {
    const page = server.browser.openPage()
    const away = createTaskClient({ url: server.url, environment: page.environment })
    const { callId } = away.startToolCall(LONG, { key: 'k' })
    await server.advance(500)
    await page.hidePage()
    await openTab().forget({ callId })
    await server.advance(100)
    expect(calls(away)).toHaveLength(1)
    await page.showPage()
    await server.advance(100)
    expect(calls(away)).toEqual([])
  })

  it('hides nothing of what another tab calls in the instant in which the message arrives', async () => {
    const [a, b] = [openTab(), openTab()]
    await b.resumeToolCalls()
    const { callId } = a.startToolCall(LONG, { key: 'k' })
    await server.advance(500)
    await a.forget({ callId })
    await server.browser.settle()
    expect(calls(b)).toEqual([])
    b.startToolCall(LONG, { key: 'k' })
    await server.advance(500)
    expect(calls(a)).toMatchObject([{ phase: 'working' }])
  })
})

describe('after the clock was set back', () => {
  /** A tab that has taken a call up which was noted when the clock was ahead. */
  async function openTaken(options: Partial<TaskClientUrlOptions> = {}): Promise<{ tab: TaskClient; callId: string }> {
    const first = server.browser.openPage()
    const gone = createTaskClient({ url: server.url, environment: first.environment, ...options })
    const { callId } = gone.startToolCall(LONG, { key: 'k' })
    await server.advance(500)
    await first.close()
    const tab = openTab(options)
    await tab.resumeToolCalls()
    server.browser.setClock(-60 * MINUTE)
    return { tab, callId }
  }

  it('forget() of a scope signs out of every tab', async () => {
    const { tab } = await openTaken({ scope: 'anna' })
    expect(calls(tab)).toHaveLength(1)
    await openTab().forget({ scope: 'anna' })
    await server.advance(100)
    expect(calls(tab)).toEqual([])
    expect(keys()).toEqual([])
  })

  it('forget({ callId }) reaches every tab', async () => {
    const { tab, callId } = await openTaken()
    const lazy = openTab({ resume: 'lazy' })
    await lazy.resumeToolCalls({ callId: 'none' })
    await lazy.forget({ callId })
    await server.advance(100)
    expect(calls(tab)).toEqual([])
  })

  it('what is called anew is shown in every tab, and started now', async () => {
    const [a, b] = [openTab(), openTab()]
    await b.resumeToolCalls()
    a.startToolCall(LONG, { key: 'other' })
    const { callId } = a.startToolCall(LONG, { key: 'k' })
    await server.advance(500)
    server.browser.setClock(-60 * MINUTE)
    await a.forget({ callId })
    await server.advance(100)
    const again = b.startToolCall(LONG, { key: 'k' })
    expect(again.getState().startedAt - server.browser.now()).toBeLessThan(1000)
    await server.advance(500)
    expect(calls(a)).toHaveLength(2)
  })
})

describe('a message that comes late', () => {
  /** A tab that receives the messages of the others when `release` is called. */
  function openDeaf(): { tab: TaskClient; release: () => void } {
    const { environment } = server.browser.openPage()
    const waiting: (() => void)[] = []
    const channel = (name: string): Channel => {
      const theirs = environment.channel?.(name) as Channel
      return { ...theirs, onMessage: (listener) => theirs.onMessage((data) => waiting.push(() => listener(data))) }
    }
    const tab = createTaskClient({ url: server.url, environment: { ...environment, channel } })
    return { tab, release: () => waiting.splice(0).forEach((hear) => void hear()) }
  }

  it.each([
    ['forget({ callId })', (tab: TaskClient, callId: string) => tab.forget({ callId })],
    ['forget()', (tab: TaskClient) => tab.forget()],
  ])('of %s leaves alone what was called since', async (_, forget) => {
    const { tab, release } = openDeaf()
    await tab.resumeToolCalls()
    client = openTab()
    const { callId } = client.startToolCall(WORK, { key: 'k' })
    await server.advance(500)
    await forget(client, callId)
    const again = client.startToolCall(WORK, { key: 'k' })
    await server.advance(500)
    await tab.resumeToolCalls()
    release()
    await server.advance(0)
    expect(calls(tab)).toMatchObject([{ callId, phase: 'working' }])
    await server.advance(4000)
    await expect(again.result).resolves.toBeDefined()
    expect(keys()).toHaveLength(1)
  })

  it('of the task of a forgotten call is passed over: the next call is made', async () => {
    const { environment } = server.browser.openPage()
    const held: (() => void)[] = []
    const fetch: typeof globalThis.fetch = async (url, init) => {
      const answer = await environment.fetch(url as string, init)
      if (String(init?.body).includes('tools/call')) await new Promise<void>((resolve) => held.push(resolve))
      return answer
    }
    const slow = createTaskClient({ url: server.url, environment: { ...environment, fetch } })
    slow.startToolCall(WORK, { key: 'k' })
    await server.advance(500)
    const { tab, release } = openDeaf()
    const { callId } = tab.startToolCall(WORK, { key: 'k' })
    await server.advance(0)
    await tab.forget({ callId })
    const again = tab.startToolCall(WORK, { key: 'k' })
    // The response comes before the message that the call was forgotten: its tab posts the task, then it drops it.
    held[0]?.()
    await server.advance(0)
    release()
    await server.advance(5000)
    await expect(again.result).resolves.toBeDefined()
    expect(server.count('tools/call')).toBe(2)
  })

  it('of forget() leaves alone what its tab has called since, for all tabs', async () => {
    const { tab, release } = openDeaf()
    await tab.resumeToolCalls()
    const other = openTab()
    await other.resumeToolCalls()
    await other.forget()
    await server.advance(100)
    tab.startToolCall(LONG, { key: 'k' })
    await server.advance(500)
    release()
    await server.advance(5000)
    expect(calls(tab)).toMatchObject([{ phase: 'working' }])
    expect(calls(other)).toMatchObject([{ phase: 'working' }])
  })

  it('[DUR-83] of forget() spares what was started before the clock was set back, once it has caught up', async () => {
    const { tab, release } = openDeaf()
    tab.startToolCall(LONG)
    await server.advance(500)
    server.browser.setClock(-MINUTE)
    await openTab().forget()
    await server.advance(MINUTE)
    release()
    await server.advance(0)
    expect(calls(tab)).toMatchObject([{ phase: 'working' }])
  })

  it('of forget() drops what it was meant for', async () => {
    const { tab, release } = openDeaf()
    tab.startToolCall(LONG)
    await server.advance(500)
    client = openTab()
    await client.forget()
    await server.advance(500)
    release()
    await server.advance(0)
    expect(calls(tab)).toEqual([])
    expect(keys()).toEqual([])
  })
})

describe('a message about a task from another tab', () => {
  it.each([
    ['another endpoint', { endpoint: 'http://localhost/other' }],
    ['another scope', { scope: 'anna' }],
    ['another call', { callId: 'other' }],
  ])('with the record of %s is passed over', async (_, wrong) => {
    const names: string[] = []
    const page = server.browser.openPage()
    const channel = (name: string) => {
      names.push(name)
      return page.environment.channel?.(name) as never
    }
    client = createTaskClient({ url: server.url, environment: { ...page.environment, channel } })
    await client.resumeToolCalls()
    const record = { v: 1, callId: 'c1', tool: 'work', endpoint: server.url, scope: '', era: 'modern', startedAt: 0 }
    const task = {
      taskId: 't1',
      status: 'working',
      receivedAt: 0,
      createdAt: '',
      lastUpdatedAt: '',
      ttlMs: null,
      answered: [],
      isCancelling: false,
    }
    const tell = (changes: object) => {
      const message = { type: 'created', record: JSON.stringify({ ...record, task, ...changes }) }
      server.browser
        .openPage()
        .environment.channel?.(names[0] ?? '')
        .postMessage({ v: 1, type: 'call', callId: 'c1', message })
    }
    tell(wrong)
    await server.advance(0)
    expect(calls()).toEqual([])
    tell({})
    await server.advance(0)
    expect(calls()).toHaveLength(1)
  })
})

it('a task that the server has lost and one tab has called anew is at work in all', async () => {
  const store = new InMemoryTaskStore()
  server = createWorkServer({ store })
  const [a, b] = [openTab(), openTab()]
  await b.resumeToolCalls()
  const lost = a.startToolCall(LONG, { key: 'k' })
  await server.advance(1500)
  await store.remove(lost.getState().task?.taskId ?? '')
  await server.advance(3500)
  expect(calls(b)).toMatchObject([{ phase: 'failed' }])
  const again = a.startToolCall(LONG, { key: 'k', repeat: 'settled' })
  await server.advance(1000)
  const taskId = again.getState().task?.taskId ?? ''
  expect(b.resumeTask({ taskId, name: 'work' }).getState().phase).toBe('working')
})

describe('records of long ago', () => {
  it.each(['eager', 'lazy'] as const)('are swept, and not polled (%s)', async (resume) => {
    client.startToolCall({ name: 'work', arguments: { seconds: 600, quiet: true } }, { key: 'k' })
    await server.advance(500)
    await client.close()
    const [key = ''] = keys()
    const record = JSON.parse(server.browser.storage.local.getItem(key ?? '') ?? '')
    record.task.ttlMs = MINUTE
    record.task.receivedAt -= 2 * DAY
    server.browser.storage.local.setItem(key ?? '', JSON.stringify(record))
    client = openPage({ resume })
    if (resume === 'eager') await client.resumeToolCalls()
    else client.startToolCall({ name: 'echo', arguments: { text: 'hi' } })
    await server.advance(500)
    expect(keys()).not.toContain(key)
    expect(server.count('tasks/get')).toBe(0)
  })
})

describe('calls that have ended', () => {
  it('without a key leave the page after five minutes, with the next call', async () => {
    const [first, keyed] = [client.startToolCall(WORK), client.startToolCall(WORK, { key: 'k' })]
    await server.advance(5000)
    client.startToolCall(WORK)
    await server.advance(4 * MINUTE)
    expect(calls()).toHaveLength(3)
    await server.advance(2 * MINUTE)
    const next = client.startToolCall(LONG)
    expect(calls().map(({ callId }) => callId)).toEqual([keyed.callId, next.callId])
    expect(client.getToolCall(first.callId)).toBeUndefined()
    expect(first.getState().phase).toBe('completed')
    await expect(first.result).resolves.toBeDefined()
  })
})

describe('a signal that has aborted before', () => {
  const signal = AbortSignal.abort(new Error('left'))

  it.each([
    ['startToolCall()', () => client.startToolCall(WORK, { signal })],
    ['resumeTask()', () => client.resumeTask('task-1', { signal })],
  ])('%s returns a call that rejects with the reason, and makes none', async (_, begin) => {
    const call = begin()
    await expect(call.result).rejects.toThrow('left')
    expect(call.getState()).toMatchObject({ phase: 'failed', error: signal.reason })
    await server.advance(5000)
    expect(server.requests).toEqual([])
    expect(calls()).toEqual([])
  })

  it('leaves the call alone that runs', async () => {
    const running = client.startToolCall(WORK, { key: 'k' })
    const call = client.startToolCall(WORK, { key: 'k', signal, repeat: 'always' })
    await expect(call.result).rejects.toThrow('left')
    await server.advance(5000)
    await expect(running.result).resolves.toBeDefined()
    expect(server.count('tools/call')).toBe(1)
  })
})

describe('a transport of the app', () => {
  const sdk = () => new Client({ name: 'app', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const http = () => new StreamableHTTPClientTransport(new URL(server.url), { fetch: server.fetch })

  it('made by a function is made anew for each attempt to connect', async () => {
    const transport = vi.fn(http)
    client = createTaskClient({ client: sdk(), transport, environment: server.environment, crossTab: false })
    await Promise.all([client.connect(), server.advance(0)])
    expect(transport).toHaveBeenCalledTimes(1)
  })

  it('that has been used up says so', async () => {
    const app = sdk()
    client = createTaskClient({ client: app, transport: http(), environment: server.environment, crossTab: false })
    await Promise.all([client.connect(), server.advance(0)])
    await app.close()
    await expect(client.connect()).rejects.toThrow(TaskConfigurationError)
    await expect(client.connect()).rejects.toThrow('used up')
  })

  it('made by a function survives that the connection is lost', async () => {
    const app = sdk()
    client = createTaskClient({ client: app, transport: http, environment: server.environment, crossTab: false })
    await Promise.all([client.connect(), server.advance(0)])
    await app.close()
    const result = client.callTool(WORK)
    await server.advance(5000)
    await expect(result).resolves.toBeDefined()
  })
})

describe('resumeToolCalls() of a call that never got its response', () => {
  async function interrupt(params: { name: string; arguments: Record<string, unknown> } = WORK): Promise<string> {
    server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call', times: 1 })
    const { callId } = client.startToolCall(params, { key: 'k' })
    await server.advance(500)
    await client.close()
    client = openPage()
    return callId
  }

  it('says that it was interrupted, and the next click calls again', async () => {
    const callId = await interrupt()
    const [resumed] = await Promise.all([client.resumeToolCalls({ callId }), server.advance(0)])
    expect(resumed).toHaveLength(1)
    expect(calls()).toMatchObject([{ callId, phase: 'failed', error: { name: 'ToolCallInterruptedError' } }])
    const again = client.startToolCall(WORK, { key: 'k', repeat: 'settled' })
    await server.advance(5000)
    await expect(again.result).resolves.toBeDefined()
  })

  it('passes over one of a tool that may be called again', async () => {
    const callId = await interrupt({ name: 'look', arguments: { seconds: 1 } })
    const [resumed] = await Promise.all([client.resumeToolCalls({ callId }), server.advance(100)])
    expect(resumed).toEqual([])
    expect(calls()).toEqual([])
  })

  it('waits for the tab that is making it', async () => {
    const other = openTab()
    server.faults.delay(2000, { method: 'tools/call', times: 1 })
    const { callId } = other.startToolCall(LONG, { key: 'k' })
    await server.advance(500)
    client = openTab({ resume: 'lazy' })
    const resuming = client.resumeToolCalls({ callId })
    await server.advance(500)
    expect(calls()).toEqual([])
    await server.advance(3000)
    await expect(resuming).resolves.toHaveLength(1)
    expect(calls()).toMatchObject([{ callId, phase: 'working' }])
  })
})

describe('a storage that answers late', () => {
  const items = new Map<string, string>()
  beforeEach(() => items.clear())

  /** What it has not done when its page goes away, it never does. */
  function lateStorage({ setTimeout }: Pick<Environment, 'setTimeout'>): TaskStorage {
    const late = <T>(value: () => T) => new Promise<T>((resolve) => setTimeout(() => resolve(value()), 10))
    return {
      getItem: (key) => late(() => items.get(key) ?? null),
      setItem: (key, value) => late(() => void items.set(key, value)),
      removeItem: (key) => late(() => void items.delete(key)),
      keys: () => late(() => [...items.keys()]),
    }
  }

  /** A call with a key, in a page of its own. */
  function callInNewPage() {
    const page = server.browser.openPage()
    const { environment } = page
    const visit = createTaskClient({ url: server.url, environment, storage: lateStorage(environment) })
    return { page, call: visit.startToolCall(LONG, { key: 'k' }) }
  }

  it('does not bring back what was forgotten', async () => {
    const taskId = await createTask()
    client = openPage({ storage: lateStorage(server.environment) })
    const call = client.resumeTask({ taskId, name: 'work' }, { key: 'k' })
    void client.forget({ callId: call.callId })
    await server.advance(1000)
    expect([...items.keys()]).toEqual([])
  })

  it('[DUR-86] may miss the last poll of a page, so that the next page polls early, once', async () => {
    const { page } = callInNewPage()
    await server.advance(1500)
    await page.close()
    callInNewPage()
    await server.advance(2000)
    const [first = 0, early = 0, next = 0] = server.times('tasks/get')
    expect(early - first).toBeLessThan(1000)
    expect(next - early).toBeGreaterThanOrEqual(1000)
    expect(server.count('tools/call')).toBe(1)
  })

  it('[DUR-87] leaves a call interrupted, not repeated, where the page goes away before the task is noted', async () => {
    server = createWorkServer({ idempotentCalls: false })
    const { page } = callInNewPage()
    while (server.count('tools/call') === 0) await server.advance(1)
    await page.crash()
    const { call } = callInNewPage()
    await server.advance(500)
    await expect(call.result).rejects.toMatchObject({ name: 'ToolCallInterruptedError' })
    expect(server.count('tools/call')).toBe(1)
  })
})
