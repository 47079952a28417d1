import { describe, expect, it, vi } from 'vitest'
import { TaskProtocolError } from '../../protocol/errors.js'
import type { JsonObject } from '../../protocol/json.js'
import type { ListenHooks } from '../../protocol/taskPort.js'
import type { ServerNotification, TaskRequester } from '../taskRequester.js'
import { RpcError } from '../wireErrors.js'
import { modernTasks } from './tasks.js'

const AT = '2026-07-28T00:00:00Z'
const TASK = { taskId: 't1', status: 'working', createdAt: AT, lastUpdatedAt: AT, ttlMs: null }

function setUp(answer: () => Promise<unknown>) {
  const request = vi.fn((_method: string, _params: JsonObject, _signal?: AbortSignal) => answer())
  let tell: (message: ServerNotification) => void = () => {}
  const listen = vi.fn<TaskRequester['listen']>(async (_, onNotification) => {
    tell = onNotification
    await answer()
  })
  const onIssue = vi.fn()
  const tasks = modernTasks({ request, listen }, undefined, onIssue)
  return { tasks, request, listen, onIssue, tell: (method: string, params?: JsonObject) => tell({ method, params }) }
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a request for a task of 2026-07-28', () => {
  const methods = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const
  const send = ({ tasks }: ReturnType<typeof setUp>, method: (typeof methods)[number], signal?: AbortSignal) => {
    if (method === 'tasks/get') return tasks.getTask('t1', signal)
    return method === 'tasks/update' ? tasks.updateTask('t1', {}, signal) : tasks.cancelTask('t1', signal)
  }

  it.each(methods)('by %s names the task where its result is of another type', async (method) => {
    const error = await failureOf(
      send(
        setUp(async () => ({ ...TASK, resultType: 'task' })),
        method,
      ),
    )
    expect(error).toBeInstanceOf(TaskProtocolError)
    expect(error).toMatchObject({ source: method, taskId: 't1' })
  })

  it.each(methods)('by %s is complete with or without saying so', async (method) => {
    for (const more of [{}, { resultType: 'complete' }])
      expect(
        await failureOf(
          send(
            setUp(async () => ({ ...TASK, ...more })),
            method,
          ),
        ),
      ).toBeUndefined()
  })

  it.each(methods)(
    'by %s is explained where it fails, and ends with the reason where it is given up',
    async (method) => {
      const { signal } = new AbortController()
      const world = setUp(() => Promise.reject(new RpcError(-32603, 'busy', {})))
      expect(await failureOf(send(world, method, signal))).toMatchObject({ name: 'TaskRequestError', taskId: 't1' })
      expect(world.request).toHaveBeenCalledWith(method, expect.objectContaining({ taskId: 't1' }), signal)
      const reason = new Error('enough')
      expect(await failureOf(send(world, method, AbortSignal.abort(reason)))).toBe(reason)
    },
  )

  it('is about that task', async () => {
    const violation = 'the response is about another task'
    const error = await failureOf(setUp(async () => ({ ...TASK, taskId: 't2' })).tasks.getTask('t1', undefined))
    expect(error).toMatchObject({ violation, source: 'tasks/get', taskId: 't1' })
  })

  it.each([
    ['no id', { ...TASK, taskId: undefined }],
    ['no object', null],
  ])('is malformed where it has %s', async (_, answer) => {
    const error = await failureOf(setUp(async () => answer).tasks.getTask('t1', undefined))
    expect(error).toBeInstanceOf(TaskProtocolError)
    expect((error as Error).message).not.toContain('another task')
  })
})

describe('a stream of tasks of 2026-07-28', () => {
  function listening(
    answer: () => Promise<unknown> = () => new Promise(() => {}),
    signal = new AbortController().signal,
  ) {
    const world = setUp(answer)
    const hooks = { onTask: vi.fn(), onAcknowledged: vi.fn(), onHint: vi.fn(), signal } satisfies ListenHooks
    return { ...world, hooks, over: world.tasks.listen(['t1', 't2'], hooks) }
  }

  it('is asked for with its ids', () => {
    const { listen, hooks } = listening()
    expect(listen).toHaveBeenCalledWith(
      { notifications: { taskIds: ['t1', 't2'] } },
      expect.any(Function),
      hooks.signal,
    )
  })

  it('brings snapshots', () => {
    const { tell, hooks, onIssue } = listening()
    tell('notifications/tasks', TASK)
    expect(hooks.onTask).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ taskId: 't1', status: 'working' }))
    expect(hooks.onAcknowledged).not.toHaveBeenCalled()
    expect(onIssue).not.toHaveBeenCalled()
  })

  it('reports what is malformed', () => {
    const { tell, hooks, onIssue } = listening()
    tell('notifications/tasks', { taskId: 't1' })
    expect(onIssue).toHaveBeenCalledExactlyOnceWith(expect.any(TaskProtocolError))
    expect(hooks.onTask).not.toHaveBeenCalled()
  })

  it('reports nothing of what a listener throws', () => {
    const { tell, hooks, onIssue } = listening()
    hooks.onTask.mockImplementation(() => {
      throw new Error('a listener')
    })
    tell('notifications/tasks', TASK)
    expect(onIssue).not.toHaveBeenCalled()
  })

  it.each([
    [{ notifications: { taskIds: ['t2', 't3'] } }, ['t2']],
    [{ notifications: { taskIds: 't1' } }, []],
    [{ notifications: 't1' }, []],
    [undefined, []],
  ])('is acknowledged by %j for %j', (params, ids) => {
    const { tell, hooks } = listening()
    tell('notifications/subscriptions/acknowledged', params)
    expect(hooks.onAcknowledged).toHaveBeenCalledExactlyOnceWith(ids)
  })

  it('brings nothing of what else is said', () => {
    const { tell, hooks } = listening()
    tell('notifications/message', { ...TASK, notifications: { taskIds: ['t1'] } })
    expect(hooks.onTask).not.toHaveBeenCalled()
    expect(hooks.onAcknowledged).not.toHaveBeenCalled()
  })

  it('says why it failed, or the reason of its signal', async () => {
    const fail = () => Promise.reject(new TypeError('fetch failed'))
    expect(await failureOf(listening(fail).over)).toMatchObject({
      name: 'TaskRequestError',
      taskId: 't1',
      kind: 'network',
    })
    const reason = new Error('enough')
    expect(await failureOf(listening(fail, AbortSignal.abort(reason)).over)).toBe(reason)
  })
})
