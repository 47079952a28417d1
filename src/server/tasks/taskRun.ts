import {
  type ClientCapabilities,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  type ElicitResult,
  inputRequired,
  type ListRootsResult,
} from '@modelcontextprotocol/server'
import { TaskCancelledError, TaskConfigurationError, TaskError, TaskExpiredError } from '../../protocol/errors.js'
import type { TaskProgress } from '../../protocol/progress.js'
import { isTerminal } from '../../protocol/task.js'
import { ignoreRejection } from '../base/ignoreRejection.js'
import { createInputRequests, type InputRequests, taskIsOver } from './inputRequests.js'
import type { ElicitParams, TaskContext } from './taskContext.js'
import { checkProgress, progressText } from './taskProgress.js'
import type { TaskRecord } from './taskRecord.js'
import { isHeldBy, type RunEvent, type RunId } from './taskReducer.js'
import { createTaskSteps, type RunStep } from './taskSteps.js'

/** The work of a task, in the process that does it. */
export interface TaskRun {
  /** The task as it was created. */
  readonly record: TaskRecord
  readonly signal: AbortSignal
  readonly context: TaskContext
  /** Applies a state of the task: resolves input requests that were answered, stops work that is to be cancelled. */
  observe(record: TaskRecord): void
  abort(reason: Error): void
  /** Who this run is to its task. */
  readonly by: RunId
  /** The newest version of the record that this run knows of. */
  readonly version: number
  /** True once another process has, or may have, the task. */
  readonly isLost: boolean
  /** Stops the work because another process may have the task. */
  lose(): void
}

/** A run, as its input requests and its steps see it. */
export interface RunScope extends Pick<TaskRun, 'record' | 'signal' | 'observe'> {
  /** Whether the handler may be run again: then it gets the responses and the steps that it has had. */
  readonly isKept: boolean
  /**
   * Changes the task, and resolves to how it stands then.
   *
   * @throws {TaskExpiredError} where it is not there any more.
   */
  change(event: RunEvent): Promise<TaskRecord>
}

/** What a {@link TaskRun} is made of. */
export interface TaskRunOptions {
  readonly record: TaskRecord
  /** What the client declared with the call. */
  readonly capabilities: ClientCapabilities
  readonly by: RunId
  /** How the run changes its task. */
  readonly apply: (event: RunEvent) => Promise<TaskRecord | undefined>
}

/** The run of a task that has just been created or claimed. */
export function createTaskRun({ record, capabilities, by, apply: applyAny }: TaskRunOptions): TaskRun {
  const { taskId } = record.task
  const controller = new AbortController()
  const { signal } = controller
  const apply = (event: RunEvent) => applyAny({ ...event, by })
  const scope: RunScope = { record, signal, isKept: record.call !== undefined, change, observe }
  const inputs = createInputRequests(scope, capabilities)
  const isBehind = progressBefore(record)
  const setStatus: SetStatus = async (message, progress) => {
    if (progress === undefined || !isBehind(progress)) {
      await apply({ type: 'status', message, ...(progress && { progress }) })
    }
  }
  let version = record.version
  let isLost = false

  signal.addEventListener('abort', () => inputs.rejectAll(signal.reason), { once: true })

  async function change(event: RunEvent): Promise<TaskRecord> {
    const now = await apply(event)
    if (now === undefined) throw new TaskExpiredError('ttl', { taskId })
    return now
  }

  function observe(now: TaskRecord): void {
    version = Math.max(version, now.version)
    inputs.observe(now.answers)
    if (now.cancelRequested) controller.abort(new TaskCancelledError(undefined, { taskId }))
    if (isTerminal(now.task.status)) inputs.rejectAll(taskIsOver())
    else if (!isHeldBy(now, by)) lose()
  }

  function lose(): void {
    isLost = true
    controller.abort(new TaskError('The lease of the task is over: another worker may have it.', { taskId }))
  }

  return {
    record,
    signal,
    by,
    get version() {
      return version
    },
    get isLost() {
      return isLost
    },
    context: contextOf(taskId, inputs, createTaskSteps(scope), setStatus),
    observe,
    lose,
    abort(reason) {
      controller.abort(reason)
    },
  }
}

type SetStatus = (message: string, progress?: TaskProgress) => Promise<unknown>

/** Tells of the progress of a run whether one before it, whose worker was lost, had come further. */
function progressBefore({ attempt, task }: TaskRecord): (progress: TaskProgress) => boolean {
  let before = attempt > 1 ? task.progress : undefined
  return ({ progress, total }) => {
    if (before === undefined) return false
    if (progress < before.progress && total === before.total) return true
    before = undefined
    return false
  }
}

type SamplingResponse = CreateMessageResult | CreateMessageResultWithTools

/** What the handler is given of its run. A promise that it forgets to await must not take the process down. */
function contextOf(taskId: string, { ask }: InputRequests, once: RunStep, setStatus: SetStatus): TaskContext {
  return {
    taskId,
    setStatus(message) {
      // Thrown at once: a tool need not await this, and what JSON cannot carry would leave `tasks/get` without a
      // response.
      if (typeof message !== 'string') throw unusableStatus(message)
      return ignoreRejection(setStatus(message).then(() => {}))
    },
    setProgress(progress, total, message) {
      const reached = checkProgress(progress, total, message)
      return ignoreRejection(setStatus(progressText(reached), reached).then(() => {}))
    },
    elicit: (params) => ignoreRejection(ask<ElicitResult>(() => elicitation(params))),
    sample: (params) => ignoreRejection(ask<SamplingResponse>(() => inputRequired.createMessage(params))),
    listRoots: () => ignoreRejection(ask<ListRootsResult>(() => inputRequired.listRoots())),
    once: (name, work, options) => ignoreRejection(once(name, work, options)),
  }
}

function elicitation(params: ElicitParams): unknown {
  return params.mode === 'url' ? inputRequired.elicitUrl(params) : inputRequired.elicit(params)
}

function unusableStatus(message: unknown): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to set the status of a task: setStatus() was given a ${typeof message}. Pass a string.`,
  )
}
