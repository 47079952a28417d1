import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { Task } from '../../core/protocol/task.js'
import { decodeTaskAddress, type TaskAddress } from '../../core/protocol/taskAddress.js'
import type { LegacyRequests } from './requests.js'
import { createResultStream, type ResultStream } from './resultStream.js'

/** A task that this connection has to do with. */
export interface KnownTask {
  /** The id that callers know. */
  readonly id: string
  readonly address: TaskAddress
  readonly stream: ResultStream
  latest: Task | undefined
  /** True if something was new while there was no listener, and no poll has been sent since. */
  isHinted: boolean
}

export interface KnownTasks extends Iterable<KnownTask> {
  /** The task with this id, which is known from now on. */
  know(id: string): KnownTask
  /** The task with this id of the server's. */
  find(taskId: string): KnownTask | undefined
  forget(task: KnownTask): void
}

export function createKnownTasks(
  send: LegacyRequests,
  missingCapability: (request: InputRequest) => string | undefined,
): KnownTasks {
  /** By the id that the server knows. */
  const known = new Map<string, KnownTask>()
  return {
    know: (id) => {
      const address = decodeTaskAddress(id)
      const before = known.get(address.taskId)
      if (before !== undefined) return before
      const sendRequest = (signal: AbortSignal) => send('tasks/result', id, { signal, cancelsOnAbort: true })
      const stream = createResultStream(sendRequest, missingCapability)
      const task: KnownTask = { id, address, stream, latest: undefined, isHinted: false }
      known.set(address.taskId, task)
      return task
    },
    find: (taskId) => known.get(taskId),
    forget: ({ address, stream }) => {
      stream.close()
      known.delete(address.taskId)
    },
    [Symbol.iterator]: () => [...known.values()][Symbol.iterator](),
  }
}
