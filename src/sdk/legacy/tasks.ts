import type { JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/client'
import {
  TaskExpiredError,
  TaskInputError,
  TaskProtocolError,
  TasksUnsupportedError,
} from '../../core/protocol/errors.js'
import { METHOD_NOT_FOUND } from '../../core/protocol/extension.js'
import type { InputRequest, InputResponse } from '../../core/protocol/inputRequest.js'
import { isJsonObject } from '../../core/protocol/json.js'
import {
  cancelsLegacyTasks,
  isLegacyCreateTaskResult,
  relatedTaskId,
  servesLegacyTasks,
} from '../../core/protocol/legacyTask.js'
import { isTerminal, type OnProtocolIssue } from '../../core/protocol/task.js'
import { decodeTaskAddress } from '../../core/protocol/taskAddress.js'
import type { LegacyOptions } from '../../core/wire/legacyOptions.js'
import type { TaskApi } from '../../core/wire/taskApi.js'
import { createCallProgresses } from './callProgress.js'
import { createKnownTasks } from './knownTasks.js'
import { createListeners } from './listeners.js'
import { legacyOptIn } from './optIn.js'
import { legacyRequests } from './requests.js'
import { requestIdOf, withdrawnKey } from './resultStream.js'
import { createSnapshots } from './snapshots.js'
import type { LegacyWire } from './wire.js'

export interface LegacyTasksOptions extends LegacyOptions {
  readonly wire: LegacyWire
  /** The server's; undefined: the client does not know them. */
  readonly capabilities: unknown
  /** As in `TaskPort`. */
  readonly missingCapability: (request: InputRequest) => string | undefined
  readonly listTools: () => Promise<readonly unknown[]>
  readonly onIssue: OnProtocolIssue
  /** Called with a request of the server that belongs to no task. True: it was for us. */
  readonly onOtherRequest?: (message: JSONRPCRequest) => boolean
  /** Called when the server has ended the connection's session. */
  readonly onSessionLost: () => void
}

/**
 * Tasks of 2025-11-25 in the shape of those of 2026-07-28: the result and the input requests of a task, which
 * that revision sends by `tasks/result`, are in the snapshot that `getTask` returns.
 */
export function createLegacyTasks(options: LegacyTasksOptions): TaskApi {
  const { wire, capabilities, environment, onIssue } = options
  const send = legacyRequests(wire, options.onSessionLost)
  const tasks = createKnownTasks(send, options.missingCapability)
  const listeners = createListeners(tasks)
  const snapshots = createSnapshots(send, tasks, onIssue)
  const { wantsTask, invalidate } = legacyOptIn(options)
  const progresses = createCallProgresses(environment.randomId, (violation) =>
    onIssue(new TaskProtocolError(violation, { source: 'tools/call' })),
  )

  /** Takes a request that belongs to a task which is known here. */
  function onRequest(message: JSONRPCRequest): boolean {
    const task = tasks.find(relatedTaskId(message.params) ?? '')
    if (task === undefined) return options.onOtherRequest?.(message) ?? false
    const { id, address, stream, latest } = task
    const problem = stream.receive(message)
    if (problem !== undefined) {
      onIssue(new TaskProtocolError(problem.message, { source: 'tasks/result', taskId: id }))
      wire.respond(message.id, { error: problem }, address.sessionId).catch(() => {})
    } else if (latest !== undefined) {
      listeners.push({ ...latest, status: 'input_required', inputRequests: stream.inputRequests })
    }
    return true
  }

  /** Returns true if it was for us alone. */
  function onNotification(message: JSONRPCNotification): boolean {
    if (message.method === 'notifications/progress') return progresses.receive(message.params)
    if (message.method === 'notifications/tools/list_changed') invalidate()
    const withdrawn = withdrawnKey(message)
    if (withdrawn !== undefined) for (const { stream } of tasks) stream.remove(withdrawn)
    if (message.method !== 'notifications/tasks/status') return false
    const task = tasks.find(String(message.params?.['taskId']))
    if (task !== undefined) listeners.hint(task)
    return false
  }

  async function respond(id: string, inputKey: string, response: InputResponse): Promise<void> {
    const { stream, address } = tasks.know(id)
    const requestId = requestIdOf(inputKey)
    if (requestId === undefined || !isJsonObject(response)) {
      throw new TaskInputError('There is no such input request.', { taskId: id })
    }
    await send.respond(requestId, response, id, address.sessionId)
    stream.remove(inputKey)
  }

  const stopWatchingPage = environment.onPageHide(() => {
    // An open request can keep a page out of the back-forward cache.
    for (const { stream } of tasks) stream.close()
  })

  const stopListening = wire.onServerMessage((message) => {
    return 'id' in message ? onRequest(message) : onNotification(message)
  })

  return {
    keyTtlMs: 0,
    isServed: capabilities === undefined || servesLegacyTasks(capabilities),
    optIn: async (tool, onProgress) => {
      const isWanted = await wantsTask(tool)
      if (!isWanted && onProgress === undefined) return undefined
      const progress = onProgress && progresses.open(onProgress)
      return {
        params: isWanted ? { task: options.ttlMs === undefined ? {} : { ttl: options.ttlMs } } : {},
        meta: progress === undefined || wire.hasOwnTokens ? {} : { progressToken: progress.token },
        onProgress: progress?.receive,
        isTask: (result) => isWanted && isLegacyCreateTaskResult(result),
        parse: (result) => {
          const task = snapshots.created(result, wire.sessionId)
          progress?.becomes(task.taskId)
          return task
        },
        end: () => progress?.end(),
      }
    },
    getTask: async (id, signal, asked) => {
      if (asked !== undefined) tasks.know(id).stream.adopt(asked)
      const task = await snapshots.fetch(id, signal)
      if (isTerminal(task.status)) progresses.over(id)
      return task
    },
    updateTask: async (id, inputResponses) => {
      for (const [inputKey, response] of Object.entries(inputResponses)) await respond(id, inputKey, response)
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
    listen: listeners.listen,
    release: (id) => {
      const task = tasks.find(decodeTaskAddress(id).taskId)
      if (task === undefined) return
      task.stream.close()
      // The server does not ask the same again: what it has asked is kept until the task is followed again.
      if (Object.keys(task.stream.inputRequests).length === 0) tasks.forget(task)
    },
    close: () => {
      stopListening()
      stopWatchingPage()
      for (const task of tasks) tasks.forget(task)
    },
  }
}
