import { TaskConfigurationError } from '../../core/protocol/errors.js'
import type { TaskFailure } from '../../core/protocol/task.js'
import type { Clock } from '../base/clock.js'
import type { TaskExecutor } from './executor.js'
import type { TaskSpec } from './newTaskRecord.js'
import { idToRunAgain } from './taskId.js'
import { summaryOf, type TaskListFilter, type TaskPage, type TaskSummary } from './taskList.js'
import type { TaskRecord } from './taskRecord.js'
import type { TaskRuntime } from './taskRuntime.js'
import type { TaskStore } from './taskStore.js'

/** A task as operators see it when they open it. */
export interface TaskDetails extends TaskSummary {
  /** The status message, from the tool or from the error. */
  readonly statusMessage?: string
  /** The error of a failed task. */
  readonly error?: TaskFailure
  /** The keys of the input requests that wait for the user. */
  readonly openInputRequests: readonly string[]
  /** True once a client or an operator has requested to cancel the task. */
  readonly cancelRequested: boolean
  /** True if {@link TaskOperator.runAgain} can run the task again, and has not done so. */
  readonly canRunAgain: boolean
}

/** The operations of an operator on the tasks of all owners. They do not check who calls them: protect them yourself. */
export interface TaskOperator {
  /**
   * Lists tasks, the newest first.
   *
   * @throws {TaskConfigurationError} if the store has no `list`, or the filter cannot be used.
   */
  list(filter?: TaskListFilter): Promise<TaskPage>
  /** Resolves to the task, or to undefined if there is no such task. */
  open(taskId: string): Promise<TaskDetails | undefined>
  /**
   * Asks the work to stop, like a cancellation by the client. Resolves to the new state of the task, or to undefined if
   * there is no such task.
   */
  cancel(taskId: string): Promise<TaskDetails | undefined>
  /**
   * Makes the call of a failed task again, as a new task of the same owner, and resolves to the new task. This works once
   * for each task: a second `runAgain` resolves to the same new task, which is kept for at least as long as the failed one,
   * unless it has to make room for others (`maxEndedTasks`). The user has to answer the input requests again.
   *
   * @throws {TaskConfigurationError} if the task does not exist or cannot be run again.
   */
  runAgain(taskId: string): Promise<TaskDetails>
}

/** What a {@link TaskOperator} is made of. */
export interface TaskOperatorOptions {
  readonly store: Pick<TaskStore, 'list'>
  readonly runtime: Pick<TaskRuntime, 'find' | 'requestCancel' | 'noteRunAgain' | 'enqueue'>
  readonly clock: Clock
  readonly executor: TaskExecutor
  /** How tasks of a tool are kept; undefined for a tool that is not known here. */
  readonly termsOf: (
    record: Pick<TaskRecord, 'tool' | 'owner'>,
  ) => Pick<TaskSpec, 'ttlMs' | 'pollIntervalMs' | 'keepFailedMs'> | undefined
}

/** The operator of a server. */
export function createTaskOperator(options: TaskOperatorOptions): TaskOperator {
  const { store, runtime, clock, executor, termsOf } = options
  const detailsOf = (record: TaskRecord): TaskDetails => {
    const { task, cancelRequested } = record
    const { statusMessage } = task
    return {
      ...summaryOf(record),
      ...(statusMessage !== undefined && { statusMessage }),
      ...(task.status === 'failed' && { error: task.error }),
      openInputRequests: task.status === 'input_required' ? Object.keys(task.inputRequests) : [],
      cancelRequested,
      canRunAgain: task.status === 'failed' && isRunnable(record) && termsOf(record) !== undefined,
    }
  }

  async function enqueue(failed: TaskRecord, spec: TaskSpec): Promise<TaskRecord> {
    try {
      const ttlMs = ttlBeyond(failed, spec.ttlMs, clock.now())
      return await runtime.enqueue({ ...spec, ttlMs }, executor)
    } catch (error) {
      // Another operator was faster.
      const other = spec.taskId === undefined ? undefined : await runtime.find(spec.taskId)
      if (other === undefined) throw error
      return other
    }
  }

  async function open(taskId: string): Promise<TaskDetails | undefined> {
    const record = await runtime.find(taskId)
    return record && detailsOf(record)
  }

  return {
    open,

    async list(filter = {}) {
      if (store.list !== undefined) return store.list(filter)
      throw new TaskConfigurationError(
        'Failed to list tasks: the store has no `list`. Add one, or look into its database.',
      )
    },

    async cancel(taskId) {
      await runtime.requestCancel(taskId)
      return open(taskId)
    },

    async runAgain(taskId) {
      const record = await runtime.find(taskId)
      if (record === undefined) throw cannotRun('there is no such task; it may have expired')
      const { owner, tool, call, task } = record
      if (task.status !== 'failed')
        throw cannotRun(`its status is ${task.status}, and only a task that has failed can be`)
      if (call === undefined) {
        throw cannotRun(
          'its call was not kept, which needs a shared store, and an `executor` or a tool with `onOrphan: "retry"`',
        )
      }
      const terms = termsOf(record)
      if (terms === undefined) throw cannotRun(`this server has no tool "${tool}"`)
      const again = idToRunAgain(owner, taskId)
      const earlier = await runtime.find(again)
      if (earlier === undefined && record.wasRunAgain === true) {
        throw cannotRun('it was run again before, and the new task is no longer kept')
      }
      const made = earlier ?? (await enqueue(record, { owner, tool, call, taskId: again, ...terms }))
      // Where the store does not take this, the next `runAgain` finds the new task, and notes it.
      await runtime.noteRunAgain(taskId).catch(() => {})
      return detailsOf(made)
    },
  }
}

const isRunnable = ({ call, wasRunAgain }: TaskRecord) => call !== undefined && wasRunAgain !== true

/** The new task is kept for as long as the failed one: once it was gone, the call could be made a third time. */
function ttlBeyond({ expiresAt }: TaskRecord, ttlMs: number | null, now: number): number | null {
  return expiresAt === null || ttlMs === null ? null : Math.max(ttlMs, expiresAt - now)
}

function cannotRun(problem: string): TaskConfigurationError {
  return new TaskConfigurationError(`Failed to run a task again: ${problem}.`)
}
