import {
  type JSONRPCNotification,
  type JSONRPCRequest,
  ProtocolError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import {
  TaskExpiredError,
  TaskInputError,
  TaskProtocolError,
  TaskRequestError,
  TasksUnsupportedError,
} from '../../core/protocol/errors.js'
import { RELATED_TASK_META } from '../../core/protocol/legacyTask.js'
import type { DetailedTask } from '../../core/protocol/task.js'
import { createSimulatedEnvironment } from '../../testing.js'
import type { OnServerMessage } from '../transport/internalRequests.js'
import { createLegacyTasks, type LegacyTasksOptions } from './tasks.js'
import type { LegacyRequestOptions } from './wire.js'

const AT = '2025-11-25T10:00:00Z'
const CAPABILITIES = { tasks: { cancel: {}, requests: { tools: { call: {} } } } }
const RESULT = { content: [{ type: 'text', text: 'done' }] }
const task = (status: string, more = {}) => ({
  taskId: 't1',
  status,
  createdAt: AT,
  lastUpdatedAt: AT,
  ttl: 60_000,
  pollInterval: 500,
  ...more,
})

/** A turn of the event loop, in which every promise that can settle does. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function setUp(overrides: Partial<LegacyTasksOptions> & { sessionId?: string } = {}) {
  const page = createSimulatedEnvironment()
  const sent: { method: string; params: object; options: LegacyRequestOptions }[] = []
  const replies: Record<string, (() => unknown) | undefined> = {}
  const responses: unknown[] = []
  const issues: TaskProtocolError[] = []
  const onSessionLost = vi.fn()
  let listener: OnServerMessage = () => false
  const tasks = createLegacyTasks({
    wire: {
      sessionId: overrides.sessionId,
      hasOwnTokens: false,
      request: async (method, params, options) => {
        sent.push({ method, params, options })
        const reply = replies[method]
        if (reply === undefined) {
          const { signal } = options
          return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        }
        return reply()
      },
      respond: async (...args) => {
        responses.push(args)
        replies['respond']?.()
      },
      onServerMessage: (next) => {
        listener = next
        return () => {
          listener = () => false
        }
      },
    },
    capabilities: CAPABILITIES,
    missingCapability: () => undefined,
    listTools: async () => [{ name: 'report', execution: { taskSupport: 'required' } }],
    mode: 'auto',
    ttlMs: undefined,
    environment: page.environment,
    addressesSessions: true,
    onIssue: (issue) => issues.push(issue),
    onSessionLost,
    ...overrides,
  })
  const notify = (method: string, params: object) => listener({ jsonrpc: '2.0', method, params } as JSONRPCNotification)
  const ask = (id: number, message: string, taskId = 't1') =>
    listener({
      jsonrpc: '2.0',
      id,
      method: 'elicitation/create',
      params: {
        message,
        requestedSchema: { type: 'object', properties: {} },
        _meta: { [RELATED_TASK_META]: { taskId } },
      },
    } as JSONRPCRequest)
  const count = (method: string) => sent.filter((one) => one.method === method).length
  return { tasks, page, sent, replies, responses, issues, onSessionLost, notify, ask, count }
}

const rpcError = (code: number, message: string, data?: unknown) => () => {
  throw ProtocolError.fromError(code, message, data)
}

describe('a snapshot', () => {
  it('of a completed task has the result that tasks/result brings', async () => {
    const { tasks, replies } = setUp()
    replies['tasks/get'] = () => task('completed')
    replies['tasks/result'] = () => ({ ...RESULT, _meta: { [RELATED_TASK_META]: { taskId: 't1' } } })
    await expect(tasks.getTask('t1', undefined)).resolves.toEqual({
      taskId: 't1',
      status: 'completed',
      createdAt: AT,
      lastUpdatedAt: AT,
      ttlMs: 60_000,
      pollIntervalMs: 500,
      result: RESULT,
    })
  })

  it.each([
    ['that says isError', { ...RESULT, isError: true }],
    ['that does not', RESULT],
  ])('of a failed task with a result %s is a tool error of today', async (_, result) => {
    const { tasks, replies } = setUp()
    replies['tasks/get'] = () => task('failed')
    replies['tasks/result'] = () => result
    await expect(tasks.getTask('t1', undefined)).resolves.toMatchObject({
      status: 'completed',
      result: { ...RESULT, isError: true },
    })
  })

  it.each([
    [
      'its own',
      rpcError(-32050, 'Out of paper', { tray: 2 }),
      { code: -32050, message: 'Out of paper', data: { tray: 2 } },
    ],
    ['that of invalid params', rpcError(-32602, 'No such tray'), { code: -32602, message: 'No such tray' }],
    [
      'the trouble of the server to find one',
      rpcError(-32603, 'no result stored'),
      { code: -32603, message: 'Tray 2' },
    ],
  ])('of a failed task has an error: %s', async (_, reply, error) => {
    const { tasks, replies } = setUp()
    replies['tasks/get'] = () => task('failed', { statusMessage: 'Tray 2' })
    replies['tasks/result'] = reply
    await expect(tasks.getTask('t1', undefined)).resolves.toMatchObject({ status: 'failed', error })
  })

  it.each([
    ['no result', rpcError(-32603, 'no result stored'), TaskProtocolError],
    ['a malformed one', () => ({ content: 'done' }), TaskProtocolError],
    ['one that the server has dropped', rpcError(-32602, 'Task not found'), TaskExpiredError],
    [
      'one that cannot be fetched now',
      () => {
        throw new TypeError('fetch failed')
      },
      TaskRequestError,
    ],
  ])('of a completed task with %s is none', async (_, reply, type) => {
    const { tasks, replies } = setUp()
    replies['tasks/get'] = () => task('completed')
    replies['tasks/result'] = reply
    await expect(tasks.getTask('t1', undefined)).rejects.toBeInstanceOf(type)
  })

  it('of another task is a violation', async () => {
    const { tasks, replies } = setUp()
    replies['tasks/get'] = () => task('working', { taskId: 't2' })
    const violation = 'the response is about another task'
    await expect(tasks.getTask('t1', undefined)).rejects.toMatchObject({ violation, source: 'tasks/get', taskId: 't1' })
  })

  it.each([[null], ['task'], [task('working', { taskId: 7 })], [task('working', { taskId: '' })]])(
    'that is %j is malformed',
    async (reply) => {
      const { tasks, replies } = setUp()
      replies['tasks/get'] = () => reply
      const error: unknown = await tasks.getTask('t1', undefined).catch((one: unknown) => one)
      expect(error).toBeInstanceOf(TaskProtocolError)
      expect((error as Error).message).not.toContain('another task')
    },
  )

  it.each([
    ['the message', { statusMessage: undefined }, undefined, { code: -32603, message: 'no result stored' }],
    ['the data', {}, { tray: 2 }, { code: -32603, message: 'Tray 2', data: { tray: 2 } }],
  ])('of a failed task keeps %s that the server has sent', async (_, more, data, error) => {
    const { tasks, replies } = setUp()
    replies['tasks/get'] = () => task('failed', { statusMessage: 'Tray 2', ...more })
    replies['tasks/result'] = rpcError(-32603, 'no result stored', data)
    expect(await tasks.getTask('t1', undefined).then((polled) => 'error' in polled && polled.error)).toStrictEqual(
      error,
    )
  })

  it.each([
    ['no result', rpcError(-32603, 'no result stored')],
    ['a malformed one', () => ({ content: 'done' })],
  ])('of a completed task with %s is a violation that names the task', async (_, reply) => {
    const { tasks, replies } = setUp()
    replies['tasks/get'] = () => task('completed')
    replies['tasks/result'] = reply
    const poll = tasks.getTask('t1', undefined)
    await expect(poll).rejects.toMatchObject({ source: 'tasks/result', taskId: 't1' })
  })

  it('that is wanted no more while its result is fetched ends with the reason', async () => {
    const { tasks, replies, count } = setUp()
    replies['tasks/get'] = () => task('completed')
    const abort = new AbortController()
    const reason = new Error('enough')
    const poll = tasks.getTask('t1', abort.signal)
    await settle()
    expect(count('tasks/result')).toBe(1)
    abort.abort(reason)
    await expect(poll).rejects.toBe(reason)
  })

  it('that is wanted no more ends with the reason', async () => {
    const { tasks } = setUp()
    const abort = new AbortController()
    const poll = tasks.getTask('t1', abort.signal)
    const reason = new Error('enough')
    abort.abort(reason)
    await expect(poll).rejects.toBe(reason)
  })
})

describe('a call', () => {
  it('becomes a task whose id names the session, and every request for it goes out there', async () => {
    const { tasks, replies, sent } = setUp({ sessionId: 's1' })
    const optIn = await tasks.optIn?.('report')
    const answer = { task: task('working'), content: [{ type: 'text', text: 'Started.' }] }
    expect(optIn?.isTask(answer)).toBe(true)
    const created = optIn?.parse(answer)
    expect(created).toMatchObject({ taskId: 'session:s1 t1', status: 'working' })
    replies['tasks/get'] = () => task('working')
    await expect(tasks.getTask('session:s1 t1', undefined)).resolves.toMatchObject({ taskId: 'session:s1 t1' })
    expect(sent).toMatchObject([{ method: 'tasks/get', params: { taskId: 't1' }, options: { sessionId: 's1' } }])
  })

  it('of a tool that the list does not have asks for the list once more, and then for nothing', async () => {
    const listTools = vi.fn(async () => [])
    const { tasks } = setUp({ listTools })
    await expect(tasks.optIn?.('other')).resolves.toBeUndefined()
    await expect(tasks.optIn?.('other')).resolves.toBeUndefined()
    expect(listTools).toHaveBeenCalledTimes(2)
  })

  it('of a tool has the list asked for again where the server says that it has changed', async () => {
    const listTools = vi.fn(async () => [{ name: 'report', execution: { taskSupport: 'required' } }])
    const { tasks, notify } = setUp({ listTools })
    await tasks.optIn?.('report')
    expect(notify('notifications/message', {})).toBe(false)
    await tasks.optIn?.('report')
    expect(listTools).toHaveBeenCalledTimes(1)
    expect(notify('notifications/tools/list_changed', {})).toBe(false)
    await tasks.optIn?.('report')
    expect(listTools).toHaveBeenCalledTimes(2)
  })

  it.each([
    [undefined, { task: {} }],
    [5000, { task: { ttl: 5000 } }],
  ])('asks for a task that is kept for %s ms', async (ttlMs, params) => {
    const optIn = await setUp({ ttlMs }).tasks.optIn?.('report')
    expect(optIn?.params).toEqual(params)
    expect(optIn?.meta).toEqual({})
    expect(optIn?.onProgress).toBeUndefined()
    expect(() => optIn?.end()).not.toThrow()
  })

  it.each([{}, { task: 7 }, { task: task('working', { taskId: '' }) }])(
    'answered by %j becomes no task',
    async (result) => {
      const optIn = await setUp({ sessionId: 's1' }).tasks.optIn?.('report')
      expect(() => optIn?.parse(result)).toThrow(TaskProtocolError)
    },
  )

  it.each([
    ['which nobody knows', undefined, true],
    ['with tasks', CAPABILITIES, true],
    ['without tasks', { tools: {} }, false],
  ])('to a server of capabilities %s', (_, capabilities, expected) => {
    expect(setUp({ capabilities }).tasks.isServed).toBe(expected)
  })
})

describe('an input request', () => {
  async function asked() {
    const world = setUp({ sessionId: 's1' })
    const pushed: DetailedTask[] = []
    const listening = new AbortController()
    void world.tasks.listen(['session:s1 t1'], {
      onAcknowledged: () => {
        throw new Error('Nothing is promised.')
      },
      onTask: (snapshot) => pushed.push(snapshot),
      onHint: () => {},
      signal: listening.signal,
    })
    world.replies['tasks/get'] = () => task('input_required')
    const before = await world.tasks.getTask('session:s1 t1', undefined)
    return { ...world, pushed, before }
  }

  it('is asked for by a tasks/result that stays open, one for all polls', async () => {
    const { tasks, before, count, sent } = await asked()
    expect(before).toMatchObject({ status: 'input_required' })
    expect(before).toHaveProperty('inputRequests', {})
    await tasks.getTask('session:s1 t1', undefined)
    expect(count('tasks/result')).toBe(1)
    expect(sent.find(({ method }) => method === 'tasks/result')?.options).toMatchObject({ cancelsOnAbort: true })
  })

  it('is pushed at once, and is in every snapshot until it is answered', async () => {
    const { tasks, ask, pushed, responses } = await asked()
    expect(ask(5, 'Go on?')).toBe(true)
    const question = { method: 'elicitation/create', params: expect.objectContaining({ message: 'Go on?' }) }
    expect(pushed).toMatchObject([{ status: 'input_required', inputRequests: { '5': question } }])
    expect(JSON.stringify(pushed)).not.toContain('related-task')
    await expect(tasks.getTask('session:s1 t1', undefined)).resolves.toMatchObject({ inputRequests: { '5': question } })
    await tasks.updateTask('session:s1 t1', { '5': { action: 'decline' } }, undefined)
    expect(responses).toEqual([[5, { result: { action: 'decline' } }, 's1']])
    await expect(tasks.getTask('session:s1 t1', undefined)).resolves.toHaveProperty('inputRequests', {})
  })

  it('can be answered by a page that never saw it', async () => {
    const { tasks, responses } = setUp()
    await tasks.updateTask('session:s1 t1', { '"q"': { action: 'decline' } }, undefined)
    expect(responses).toEqual([['q', { result: { action: 'decline' } }, 's1']])
    await expect(tasks.updateTask('t1', { nonsense: {} }, undefined)).rejects.toBeInstanceOf(TaskInputError)
  })

  it('is gone where the server takes it back', async () => {
    const { tasks, ask, notify } = await asked()
    ask(5, 'Go on?')
    notify('notifications/cancelled', { requestId: 5 })
    await expect(tasks.getTask('session:s1 t1', undefined)).resolves.toHaveProperty('inputRequests', {})
  })

  it('of a task that nobody follows here is not ours', async () => {
    const { ask } = await asked()
    expect(ask(5, 'Go on?', 't2')).toBe(false)
  })

  it('that cannot be understood is refused, and reported', async () => {
    const { ask, responses, issues } = await asked()
    ask(5, undefined as never)
    expect(responses).toEqual([[5, { error: { code: -32602, message: 'The request has no message.' } }, 's1']])
    expect(issues).toHaveLength(1)
  })

  it('is refused with a report that names the task', async () => {
    const { ask, issues } = await asked()
    ask(5, undefined as never)
    expect(issues).toMatchObject([{ source: 'tasks/result', taskId: 'session:s1 t1' }])
  })

  it('stays where its response does not arrive, and says why', async () => {
    const { tasks, ask, replies } = await asked()
    ask(5, 'Go on?')
    replies['respond'] = () => {
      throw new TypeError('fetch failed')
    }
    const update = tasks.updateTask('session:s1 t1', { '5': { action: 'decline' } }, undefined)
    await expect(update).rejects.toMatchObject({ name: 'TaskRequestError', taskId: 'session:s1 t1', kind: 'network' })
    await expect(tasks.getTask('session:s1 t1', undefined)).resolves.toHaveProperty('inputRequests.5')
  })

  it.each([
    ['under a key that is none', { nonsense: { action: 'decline' } }],
    ['that is no object', { '5': 'decline' }],
  ])('takes no response %s', async (_, responses) => {
    const { tasks, responses: sent } = await asked()
    const update = tasks.updateTask('session:s1 t1', responses as never, undefined)
    await expect(update).rejects.toMatchObject({ name: 'TaskInputError', taskId: 'session:s1 t1' })
    expect(sent).toEqual([])
  })

  it('stays when something else is taken back', async () => {
    const { tasks, ask, notify } = await asked()
    ask(5, 'Go on?')
    expect(notify('notifications/cancelled', { requestId: 6 })).toBe(false)
    expect(notify('notifications/message', { requestId: 5 })).toBe(false)
    await expect(tasks.getTask('session:s1 t1', undefined)).resolves.toHaveProperty('inputRequests.5')
  })

  const heldBy = ({ sent }: ReturnType<typeof setUp>) =>
    sent.find(({ method }) => method === 'tasks/result')?.options.signal

  it.each([
    ['has ended', 'cancelled', undefined],
    ['is gone', undefined, rpcError(-32602, 'Task not found')],
  ])('is not ours where its task %s', async (_, status, failure) => {
    const world = await asked()
    world.replies['tasks/get'] = failure ?? (() => task(String(status)))
    await world.tasks.getTask('session:s1 t1', undefined).catch(() => {})
    expect(world.ask(5, 'Go on?')).toBe(false)
    expect(heldBy(world)?.aborted).toBe(true)
  })

  it('is ours where its task could not be polled for a while', async () => {
    const world = await asked()
    world.replies['tasks/get'] = rpcError(-32603, 'busy')
    await expect(world.tasks.getTask('session:s1 t1', undefined)).rejects.toThrow('busy')
    expect(world.ask(5, 'Go on?')).toBe(true)
  })

  it('lets go of its request when the task has a result, though that cannot be fetched', async () => {
    const world = await asked()
    world.replies['tasks/get'] = () => task('completed')
    world.replies['tasks/result'] = rpcError(-32603, 'busy')
    await expect(world.tasks.getTask('session:s1 t1', undefined)).rejects.toThrow()
    expect(heldBy(world)?.aborted).toBe(true)
  })

  it('is kept while its task is released, and the request for it is not', async () => {
    const world = await asked()
    world.ask(5, 'Go on?')
    world.tasks.release('session:s1 t1')
    expect(heldBy(world)?.aborted).toBe(true)
    await expect(world.tasks.getTask('session:s1 t1', undefined)).resolves.toHaveProperty('inputRequests.5')
  })

  it('of a task that was released without one is not ours', async () => {
    const world = await asked()
    world.tasks.release('t2')
    expect(world.ask(4, 'Go on?')).toBe(true)
    await world.tasks.updateTask('session:s1 t1', { '4': { action: 'decline' } }, undefined)
    world.tasks.release('session:s1 t1')
    expect(heldBy(world)?.aborted).toBe(true)
    expect(world.ask(5, 'Go on?')).toBe(false)
  })

  it('is not ours after the end, which lets go of every request, and of the page', async () => {
    const onPageHide = vi.fn(() => stopWatching)
    const stopWatching = vi.fn()
    const { environment } = createSimulatedEnvironment()
    const world = setUp({ environment: { ...environment, onPageHide } })
    world.replies['tasks/get'] = () => task('input_required')
    await world.tasks.getTask('t1', undefined)
    expect(stopWatching).not.toHaveBeenCalled()
    world.tasks.close()
    expect(heldBy(world)?.aborted).toBe(true)
    expect(world.ask(5, 'Go on?')).toBe(false)
    expect(stopWatching).toHaveBeenCalledOnce()
  })

  it('lets go of its request when the page is hidden, and of everything at the end', async () => {
    const { tasks, sent, page } = await asked()
    const held = sent.find(({ method }) => method === 'tasks/result')?.options.signal
    await page.hidePage()
    expect(held?.aborted).toBe(true)
    tasks.close()
    expect(page.pendingTimers()).toBe(0)
  })
})

describe('notifications/progress', () => {
  async function called(tool = 'report') {
    const world = setUp({ listTools: async () => [{ name: 'report', execution: { taskSupport: 'required' } }] })
    const shown: unknown[] = []
    const optIn = await world.tasks.optIn?.(tool, (progress) => shown.push(progress))
    const { progressToken } = optIn?.meta ?? {}
    const tell = (params: object) => world.notify('notifications/progress', { progressToken, ...params })
    return { ...world, optIn, shown, tell, progressToken }
  }

  it('is for the call that has sent its token, and kept from the SDK', async () => {
    const { tell, shown, notify } = await called()
    expect(tell({ progress: 0.5, total: 2, message: 'Asia' })).toBe(true)
    expect(shown).toEqual([{ progress: 0.5, total: 2, message: 'Asia' }])
    expect(notify('notifications/progress', { progressToken: 7, progress: 1 })).toBe(false)
    expect(shown).toHaveLength(1)
  })

  it('that goes back is passed over and reported; one that stands still may bring another message', async () => {
    const { tell, shown, issues } = await called()
    tell({ progress: 3 })
    tell({ progress: 2 })
    tell({ progress: 3, message: 'still' })
    tell({ progress: 'much' })
    expect(shown).toEqual([{ progress: 3 }, { progress: 3, message: 'still' }])
    expect(issues).toMatchObject([
      { violation: 'the progress has gone back; ignored', source: 'tools/call' },
      { violation: 'the progress is not a number of 0 or more; ignored' },
    ])
  })

  it('is heard for as long as the task lives, also while nobody follows it, and not after', async () => {
    const { tasks, optIn, tell, shown, replies } = await called()
    optIn?.parse({ task: task('working') })
    optIn?.end()
    tell({ progress: 1 })
    tasks.release('t1')
    tell({ progress: 2 })
    replies['tasks/get'] = () => task('cancelled')
    await tasks.getTask('t1', undefined)
    expect(tell({ progress: 3 })).toBe(false)
    expect(shown).toEqual([{ progress: 1 }, { progress: 2 }])
  })

  it('is heard after a poll that finds its task at work, and after the end of another task', async () => {
    const { tasks, optIn, tell, shown, replies } = await called()
    optIn?.parse({ task: task('working') })
    replies['tasks/get'] = () => task('working')
    await tasks.getTask('t1', undefined)
    expect(tell({ progress: 1 })).toBe(true)
    replies['tasks/get'] = () => task('cancelled', { taskId: 't2' })
    await tasks.getTask('t2', undefined)
    expect(tell({ progress: 2 })).toBe(true)
    expect(shown).toHaveLength(2)
  })

  it('is no longer heard once a call that is no task has ended, nor after the connection', async () => {
    const plain = await called('other')
    expect(plain.optIn?.params).toEqual({})
    expect(plain.optIn?.isTask({ task: task('working') })).toBe(false)
    plain.optIn?.end()
    expect(plain.tell({ progress: 1 })).toBe(false)
    const other = await called()
    other.tasks.close()
    expect(other.tell({ progress: 1 })).toBe(false)
  })
})

describe('notifications/tasks/status', () => {
  function listen({ tasks }: ReturnType<typeof setUp>, ids = ['t1']) {
    const hints: string[] = []
    const abort = new AbortController()
    const over = tasks.listen(ids, {
      onAcknowledged: () => {},
      onTask: () => {},
      onHint: (taskId) => hints.push(taskId),
      signal: abort.signal,
    })
    return { hints, abort, over }
  }

  it('is a hint that something is new, whatever it says of the task', () => {
    const world = setUp()
    const { hints } = listen(world)
    expect(world.notify('notifications/tasks/status', task('completed'))).toBe(false)
    world.notify('notifications/tasks/status', { taskId: 't1' })
    world.notify('notifications/other', { taskId: 't1' })
    expect(() => world.notify('notifications/tasks/status', undefined as never)).not.toThrow()
    expect(hints).toEqual(['t1', 't1'])
    expect(world.sent).toEqual([])
  })

  it('names the task by the id that its session is part of', () => {
    const world = setUp({ sessionId: 's1' })
    const { hints } = listen(world, ['session:s1 t1'])
    world.notify('notifications/tasks/status', task('working'))
    expect(hints).toEqual(['session:s1 t1'])
  })

  it('that comes before anybody listens is a hint then, unless the task was polled in the meantime', async () => {
    const world = setUp()
    const { tasks, notify, replies } = world
    const optIn = await tasks.optIn?.('report')
    optIn?.parse({ task: task('working') })
    notify('notifications/tasks/status', task('working'))
    expect(listen(world).hints).toEqual(['t1'])
    replies['tasks/get'] = () => task('working')
    await tasks.getTask('t1', undefined)
    expect(listen(world).hints).toEqual([])
  })

  it('is a hint for those who listen to its task, once', () => {
    const world = setUp()
    const [mine, other] = [listen(world), listen(world, ['t2'])]
    world.notify('notifications/tasks/status', { taskId: 't1' })
    expect([mine.hints, other.hints, listen(world).hints]).toEqual([['t1'], [], []])
  })

  it('of a stranger is left alone, and so is every one when nobody listens any more', async () => {
    const world = setUp()
    const { hints, abort, over } = listen(world)
    world.notify('notifications/tasks/status', { taskId: 't9' })
    abort.abort()
    await over
    world.notify('notifications/tasks/status', task('working'))
    expect(hints).toEqual([])
  })
})

describe('cancelling', () => {
  it('is refused here where the server has not declared it', async () => {
    const { tasks, sent } = setUp({ capabilities: { tasks: { requests: { tools: { call: {} } } } } })
    const refusal = tasks.cancelTask('t1', undefined)
    await expect(refusal).rejects.toBeInstanceOf(TasksUnsupportedError)
    await expect(refusal).rejects.toMatchObject({ taskId: 't1', code: -32601 })
    expect(sent).toEqual([])
  })

  it('is tried where nobody knows what the server has declared', async () => {
    const { tasks, replies, sent } = setUp({ capabilities: undefined })
    replies['tasks/cancel'] = () => task('cancelled')
    const { signal } = new AbortController()
    await tasks.cancelTask('t1', signal)
    expect(sent).toMatchObject([{ method: 'tasks/cancel', params: { taskId: 't1' }, options: { signal } }])
  })

  it('fails where the server does', async () => {
    const { tasks, replies } = setUp()
    replies['tasks/cancel'] = rpcError(-32603, 'busy')
    await expect(tasks.cancelTask('t1', undefined)).rejects.toThrow('busy')
  })

  it('of a task that has just ended is no error: the next poll says what it came to', async () => {
    const { tasks, replies } = setUp()
    replies['tasks/cancel'] = rpcError(-32602, 'Cannot cancel task in terminal status: completed')
    await expect(tasks.cancelTask('t1', undefined)).resolves.toBeUndefined()
  })
})

describe('what goes wrong', () => {
  it('names no id, not even in the words of the server', async () => {
    const { tasks, replies } = setUp()
    replies['tasks/get'] = rpcError(-32603, 'Cannot read task-secret-1 now')
    const error: unknown = await tasks.getTask('session:s1 task-secret-1', undefined).catch((one: unknown) => one)
    expect(error).toMatchObject({
      name: 'TaskRequestError',
      message: expect.stringContaining('Cannot read [task] now'),
    })
  })

  it.each([
    ['of the connection', 's1', 1],
    ['of an earlier page', 's0', 0],
  ])('with the session %s is the end of the task', async (_, sessionId, times) => {
    const { tasks, replies, onSessionLost } = setUp({ sessionId: 's1' })
    replies['tasks/get'] = () => {
      throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'Not Found', { status: 404 })
    }
    await expect(tasks.getTask(`session:${sessionId} t1`, undefined)).rejects.toMatchObject({
      name: 'TaskExpiredError',
      message: expect.stringContaining('ended the session'),
    })
    expect(onSessionLost).toHaveBeenCalledTimes(times)
    await settle()
  })

  it.each([
    ['ends nothing where there is no session', undefined, 0],
    ['ends the session, and not the task, where the id of that names none', 's1', 1],
  ])('with HTTP 404 %s', async (_, sessionId, times) => {
    const { tasks, replies, onSessionLost } = setUp(sessionId === undefined ? {} : { sessionId })
    replies['tasks/get'] = () => {
      throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'Not Found', { status: 404 })
    }
    await expect(tasks.getTask('t1', undefined)).rejects.toMatchObject({ name: 'TaskRequestError', status: 404 })
    expect(onSessionLost).toHaveBeenCalledTimes(times)
  })
})
