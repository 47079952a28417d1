import type { JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/client'
import { onAbort } from '../../call/abort.js'
import type { ListenHooks } from '../../call/taskPort.js'
import {
  TaskExpiredError,
  TaskInputError,
  TaskProtocolError,
  type TaskProtocolSource,
  TasksUnsupportedError,
} from '../../protocol/errors.js'
import { METHOD_NOT_FOUND } from '../../protocol/extension.js'
import type { InputRequest, InputResponse } from '../../protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import {
  cancelsLegacyTasks,
  isLegacyCreateTaskResult,
  parseLegacyTask,
  relatedTaskId,
  servesLegacyTasks,
} from '../../protocol/legacyTask.js'
import { type DetailedTask, isTerminal, type OnProtocolIssue, type Task } from '../../protocol/task.js'
import { decodeTaskAddress, encodeTaskAddress, type TaskAddress } from '../../protocol/taskAddress.js'
import type { EraTasks, TaskOptIn } from '../taskApi.js'
import { legacyOptIn } from './optIn.js'
import type { LegacyOptions } from './options.js'
import { legacyOutcome } from './outcome.js'
import { legacyRequests } from './requests.js'
import { cancelledRequest, createSideChannel, requestIdOf, type SideChannel } from './resultStream.js'
import type { LegacyWire } from './wire.js'

export interface LegacyTasksOptions extends LegacyOptions {
  readonly wire: LegacyWire
  /** The server's; undefined: the client does not know them. */
  readonly capabilities: unknown
  /** As in `TaskPort`. */
  readonly missingCapability: (request: InputRequest) => string | undefined
  readonly listTools: () => Promise<readonly unknown[]>
  readonly onIssue: OnProtocolIssue
  /** Hears of a request of the server that belongs to no task. True: it was for us. */
  readonly onOtherRequest?: (message: JSONRPCRequest) => boolean
  /** Hears that the server has ended the connection's session. */
  readonly onSessionLost: () => void
}

/** A task that this connection has to do with. */
interface KnownTask {
  /** The id as everybody above knows it. */
  readonly id: string
  readonly address: TaskAddress
  readonly channel: SideChannel
  latest: Task | undefined
  /** True if something was new while nobody listened, and no poll has been sent since. */
  isHinted: boolean
}

/**
 * Tasks of 2025-11-25 in the shape of those of 2026-07-28: the result and the questions of a task, which
 * that revision sends by `tasks/result`, are in the snapshot that `getTask` returns.
 */
export function createLegacyTasks(options: LegacyTasksOptions): EraTasks {
  const { wire, capabilities, missingCapability, environment, onIssue } = options
  /** By the id that the server knows. */
  const known = new Map<string, KnownTask>()
  const send = legacyRequests(wire, options.onSessionLost)
  const listeners = new Set<{ readonly taskIds: readonly string[]; readonly hooks: ListenHooks }>()
  const { wantsTask, invalidate } = legacyOptIn(options)

  function know(id: string): KnownTask {
    const address = decodeTaskAddress(id)
    const before = known.get(address.taskId)
    if (before !== undefined) return before
    const hold = (signal: AbortSignal) => send('tasks/result', id, { signal, tellsWhenAborted: true })
    const channel = createSideChannel(hold, missingCapability)
    const task: KnownTask = { id, address, channel, latest: undefined, isHinted: false }
    known.set(address.taskId, task)
    return task
  }

  function forget({ address, channel }: KnownTask): void {
    channel.pause()
    known.delete(address.taskId)
  }

  /** The task under the id that everybody above knows, and that errors about it are kept free of. */
  function readTask(value: unknown, source: TaskProtocolSource, idOf: (taskId: string) => string): Task {
    if (!isJsonObject(value)) return parseLegacyTask(value, source, onIssue)
    const { taskId } = value
    const isNamed = typeof taskId === 'string' && taskId !== ''
    return parseLegacyTask({ ...value, ...(isNamed && { taskId: idOf(taskId) }) }, source, onIssue)
  }

  async function getTask(id: string, signal: AbortSignal | undefined): Promise<DetailedTask> {
    const task = know(id)
    task.isHinted = false
    try {
      const snapshot = readTask(await send('tasks/get', id, { signal }), 'tasks/get', (taskId) => {
        if (taskId === task.address.taskId) return id
        throw new TaskProtocolError('the answer is about another task', { source: 'tasks/get', taskId: id })
      })
      signal?.throwIfAborted()
      const detailed = await detail(task, snapshot, signal)
      if (isTerminal(detailed.status)) forget(task)
      return detailed
    } catch (error) {
      if (error instanceof TaskExpiredError) forget(task)
      throw error
    }
  }

  /** The snapshot with what its status carries. */
  async function detail(task: KnownTask, snapshot: Task, signal: AbortSignal | undefined): Promise<DetailedTask> {
    task.latest = snapshot
    const { status } = snapshot
    switch (status) {
      case 'working':
      case 'cancelled':
        return { ...snapshot, status }
      case 'input_required':
        // Without it the server does not ask. What it asks arrives later.
        task.channel.open()
        return { ...snapshot, status, inputRequests: task.channel.questions }
      case 'completed':
      case 'failed':
        task.channel.pause()
        return legacyOutcome(snapshot, () => send.result(snapshot.taskId, signal))
    }
  }

  /** Takes a request that belongs to a task which is known here. */
  function onRequest(message: JSONRPCRequest): boolean {
    const task = known.get(relatedTaskId(message.params) ?? '')
    if (task === undefined) return options.onOtherRequest?.(message) ?? false
    const { id, address, channel, latest } = task
    const problem = channel.take(message)
    if (problem !== undefined) {
      onIssue(new TaskProtocolError(problem.message, { source: 'tasks/result', taskId: id }))
      wire.respond(message.id, { error: problem }, address.sessionId).catch(() => {})
    } else if (latest !== undefined) {
      const snapshot = { ...latest, status: 'input_required' as const, inputRequests: channel.questions }
      for (const { onTask } of listenersOf(id)) onTask(snapshot)
    }
    return true
  }

  function onNotification(message: JSONRPCNotification): void {
    if (message.method === 'notifications/tools/list_changed') invalidate()
    const cancelled = cancelledRequest(message)
    if (cancelled !== undefined) for (const { channel } of known.values()) channel.drop(cancelled)
    if (message.method !== 'notifications/tasks/status') return
    const task = known.get(String(message.params?.['taskId']))
    if (task !== undefined) hint(task)
  }

  /** That revision promises no notifications, so polling goes on; what the server says all the same is a hint to poll. */
  function hint(task: KnownTask): void {
    const hooks = listenersOf(task.id)
    task.isHinted = hooks.length === 0
    for (const { onHint } of hooks) onHint(task.id)
  }

  function listenersOf(id: string): ListenHooks[] {
    return [...listeners].filter(({ taskIds }) => taskIds.includes(id)).map(({ hooks }) => hooks)
  }

  /** Acknowledges no task. Resolves when the signal aborts. */
  function listen(taskIds: readonly string[], hooks: ListenHooks): Promise<void> {
    return new Promise((resolve) => {
      const listener = { taskIds, hooks }
      listeners.add(listener)
      // What the server says of them counts from now on.
      for (const id of taskIds) if (know(id).isHinted) hooks.onHint(id)
      onAbort(hooks.signal, () => {
        listeners.delete(listener)
        resolve()
      })
    })
  }

  function createdTask(result: JsonObject): Task {
    const { sessionId } = wire
    const task = readTask(result['task'], 'tools/call', (taskId) => encodeTaskAddress({ taskId, sessionId }))
    know(task.taskId).latest = task
    return task
  }

  async function answer(id: string, inputKey: string, response: InputResponse): Promise<void> {
    const { channel, address } = know(id)
    const requestId = requestIdOf(inputKey)
    if (requestId === undefined || !isJsonObject(response)) {
      throw new TaskInputError('There is no such question.', { taskId: id })
    }
    await send.respond(requestId, response, id, address.sessionId)
    channel.drop(inputKey)
  }

  const stopWatchingPage = environment.onPageHide(() => {
    // An open request can keep a page out of the back-forward cache.
    for (const { channel } of known.values()) channel.pause()
  })

  wire.onServerMessage((message) => {
    if ('id' in message) return onRequest(message)
    onNotification(message)
    return false
  })

  return {
    isServed: capabilities === undefined || servesLegacyTasks(capabilities),

    optIn: async (tool) => {
      if (!(await wantsTask(tool))) return undefined
      const params: JsonObject = options.ttlMs === undefined ? {} : { ttl: options.ttlMs }
      return { params, isTask: isLegacyCreateTaskResult, parse: createdTask } satisfies TaskOptIn
    },

    getTask,

    updateTask: async (id, inputResponses) => {
      for (const [inputKey, response] of Object.entries(inputResponses)) await answer(id, inputKey, response)
    },

    cancelTask: async (id, signal) => {
      if (capabilities !== undefined && !cancelsLegacyTasks(capabilities)) {
        const details = { taskId: id, code: METHOD_NOT_FOUND }
        throw new TasksUnsupportedError('The server does not let tasks be cancelled.', details)
      }
      try {
        await send('tasks/cancel', id, { signal })
      } catch (error) {
        // It has ended meanwhile, or is gone. Which of them the next poll says.
        if (!(error instanceof TaskExpiredError)) throw error
      }
    },

    listen,

    release: (id) => {
      const task = known.get(decodeTaskAddress(id).taskId)
      if (task === undefined) return
      task.channel.pause()
      // The server does not ask the same again: what it has asked is kept for whoever follows the task next.
      if (Object.keys(task.channel.questions).length === 0) forget(task)
    },

    close: () => {
      wire.onServerMessage(() => false)
      stopWatchingPage()
      for (const task of [...known.values()]) forget(task)
    },
  }
}
