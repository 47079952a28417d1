import { TaskExpiredError, TaskProtocolError, type TaskProtocolSource } from '../../core/protocol/errors.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { parseLegacyTask } from '../../core/protocol/legacyTask.js'
import { type DetailedTask, isTerminal, type OnProtocolIssue, type Task } from '../../core/protocol/task.js'
import { encodeTaskAddress } from '../../core/protocol/taskAddress.js'
import type { KnownTask, KnownTasks } from './knownTasks.js'
import { legacyOutcome } from './outcome.js'
import type { LegacyRequests } from './requests.js'

export interface Snapshots {
  /** The task that a `tools/call` in this session was answered by. */
  created(result: JsonObject, sessionId: string | undefined): Task
  /** Asks the server for a task, and for what its status carries. */
  fetch(id: string, signal: AbortSignal | undefined): Promise<DetailedTask>
}

/** Snapshots of tasks of 2025-11-25 in the shape of those of 2026-07-28. */
export function createSnapshots(send: LegacyRequests, tasks: KnownTasks, onIssue: OnProtocolIssue): Snapshots {
  /** The task under the id that callers know, and that errors about it are kept free of. */
  function read(value: unknown, source: TaskProtocolSource, idOf: (taskId: string) => string): Task {
    if (!isJsonObject(value)) return parseLegacyTask(value, source, onIssue)
    const { taskId } = value
    const isNamed = typeof taskId === 'string' && taskId !== ''
    return parseLegacyTask({ ...value, ...(isNamed && { taskId: idOf(taskId) }) }, source, onIssue)
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
        task.stream.open()
        return { ...snapshot, status, inputRequests: task.stream.inputRequests }
      case 'completed':
      case 'failed':
        task.stream.close()
        return legacyOutcome(snapshot, () => send.result(snapshot.taskId, signal))
    }
  }

  return {
    created: (result, sessionId) => {
      const task = read(result['task'], 'tools/call', (taskId) => encodeTaskAddress({ taskId, sessionId }))
      tasks.know(task.taskId).latest = task
      return task
    },
    fetch: async (id, signal) => {
      const task = tasks.know(id)
      task.isHinted = false
      try {
        const snapshot = read(await send('tasks/get', id, { signal }), 'tasks/get', (taskId) => {
          if (taskId === task.address.taskId) return id
          throw new TaskProtocolError('the response is about another task', { source: 'tasks/get', taskId: id })
        })
        signal?.throwIfAborted()
        const detailed = await detail(task, snapshot, signal)
        if (isTerminal(detailed.status)) tasks.forget(task)
        return detailed
      } catch (error) {
        if (error instanceof TaskExpiredError) tasks.forget(task)
        throw error
      }
    },
  }
}
