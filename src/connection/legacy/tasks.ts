import type { JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/client'
import { TaskExpiredError, TaskInputError, TaskProtocolError, TasksUnsupportedError } from '../../protocol/errors.js'
import { METHOD_NOT_FOUND } from '../../protocol/extension.js'
import type { InputRequest, InputResponse } from '../../protocol/inputRequest.js'
import { isJsonObject } from '../../protocol/json.js'
import {
  cancelsLegacyTasks,
  isLegacyCreateTaskResult,
  relatedTaskId,
  servesLegacyTasks,
} from '../../protocol/legacyTask.js'
import type { OnProtocolIssue } from '../../protocol/task.js'
import { decodeTaskAddress } from '../../protocol/taskAddress.js'
import type { TaskApi } from '../taskApi.js'
import { createKnownTasks } from './knownTasks.js'
import { createListeners } from './listeners.js'
import { legacyOptIn } from './optIn.js'
import type { LegacyOptions } from './options.js'
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

  function onNotification(message: JSONRPCNotification): void {
    if (message.method === 'notifications/tools/list_changed') invalidate()
    const withdrawn = withdrawnKey(message)
    if (withdrawn !== undefined) for (const { stream } of tasks) stream.remove(withdrawn)
    if (message.method !== 'notifications/tasks/status') return
    const task = tasks.find(String(message.params?.['taskId']))
    if (task !== undefined) listeners.hint(task)
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

  wire.onServerMessage((message) => {
    if ('id' in message) return onRequest(message)
    onNotification(message)
    return false
  })

  return {
    keyTtlMs: 0,
    isServed: capabilities === undefined || servesLegacyTasks(capabilities),
    optIn: async (tool) => {
      if (!(await wantsTask(tool))) return undefined
      return {
        params: options.ttlMs === undefined ? {} : { ttl: options.ttlMs },
        isTask: isLegacyCreateTaskResult,
        parse: (result) => snapshots.created(result, wire.sessionId),
      }
    },
    getTask: snapshots.fetch,
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
      wire.onServerMessage(() => false)
      stopWatchingPage()
      for (const task of tasks) tasks.forget(task)
    },
  }
}
