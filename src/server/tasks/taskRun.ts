import type { ClientCapabilities } from '@modelcontextprotocol/server'
import { TaskCancelledError, TaskError, TaskExpiredError } from '../../protocol/errors.js'
import type { TaskProgress } from '../../protocol/progress.js'
import { isTerminal } from '../../protocol/task.js'
import { createInputRequests, taskIsOver } from './inputRequests.js'
import type { TaskRecord, TaskStep } from './taskRecord.js'
import { isHeldBy, type RunEvent, type RunId } from './taskReducer.js'
import type { ToolBackend } from './toolBackend.js'
import { reportText, type WorkReport } from './workReport.js'

/** The work of a task, in the process that does it. */
export interface TaskRun extends ToolBackend {
  /** The task as it was created or claimed. */
  readonly record: TaskRecord
  /** The newest state of the task that this run knows of. */
  readonly latest: TaskRecord
  /** Compares the clock with the lease first: of a process that wakes up after its lease, the signal has aborted. */
  readonly signal: AbortSignal
  /** Applies a state of the task: resolves input requests that were answered, stops work that is pointless. */
  observe(record: TaskRecord): void
  abort(reason: Error): void
  /** Notes that the handler has ended: nothing aborts its signal after that. */
  finish(): void
  /** Who this run is to its task. */
  readonly by: RunId
  /** True once another process has, or may have, the task. */
  readonly isLost: boolean
  /** Stops the work because another process may have the task. */
  lose(): void
}

/** A run, as its input requests see it. */
export interface RunScope extends Pick<TaskRun, 'record' | 'signal' | 'observe'> {
  /** Whether the handler may be run again: then it gets the responses that it has had. */
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
  /** True once another process may have the task, by the clock. @default never */
  readonly isLeaseOver?: () => boolean
}

/** The run of a task that has just been created or claimed. */
export function createTaskRun(options: TaskRunOptions): TaskRun {
  const { record, capabilities, by, isLeaseOver = () => false } = options
  const { taskId } = record.task
  const controller = new AbortController()
  const isBehind = progressBefore(record)
  let latest = record
  let isLost = false
  let isStopped = false
  let hasEnded = false

  const currentSignal = (): AbortSignal => {
    if (!isLost && !hasEnded && isLeaseOver()) lose()
    return controller.signal
  }
  const scope: RunScope = {
    record,
    isKept: record.call !== undefined,
    get signal() {
      return currentSignal()
    },
    change,
    observe,
  }
  const inputs = createInputRequests(scope, capabilities)
  controller.signal.addEventListener('abort', () => inputs.rejectAll(controller.signal.reason), { once: true })

  async function change(event: RunEvent): Promise<TaskRecord> {
    const now = await options.apply({ ...event, by })
    if (now === undefined) throw new TaskExpiredError('ttl', { taskId })
    return now
  }

  async function report(reached: WorkReport): Promise<void> {
    assertHeld()
    if (reached.progress === undefined) return tell({ type: 'status', message: reached.message })
    if (!isBehind(reached)) await tell({ type: 'status', message: reportText(reached), progress: reached })
  }

  async function tell(event: RunEvent): Promise<void> {
    observe(await change(event))
    assertHeld()
  }

  async function keepStep(name: string, step: TaskStep): Promise<void> {
    if (!scope.isKept) return
    observe(await change({ type: 'step', name, step }))
    currentSignal().throwIfAborted()
  }

  function observe(now: TaskRecord): void {
    if (now.version > latest.version) latest = now
    inputs.observe(now.answers)
    if (isTerminal(now.task.status)) inputs.rejectAll(taskIsOver())
    if (hasEnded) return
    if (now.cancelRequested) controller.abort(new TaskCancelledError(undefined, { taskId }))
    if (isTerminal(now.task.status)) stop(hasNoTask(taskId))
    else if (!isHeldBy(now, by)) lose()
  }

  function lose(): void {
    isLost = true
    stop(new TaskError('The lease of the task is over: another worker may have it.', { taskId }))
  }

  function stop(reason: Error): void {
    isStopped = true
    controller.abort(reason)
  }

  function assertHeld(): void {
    const signal = currentSignal()
    if (isStopped) throw signal.reason
    if (isTerminal(latest.task.status)) throw hasNoTask(taskId)
  }

  return {
    record,
    get latest() {
      return latest
    },
    get signal() {
      return currentSignal()
    },
    by,
    get isLost() {
      return isLost
    },
    ask: inputs.ask,
    steps: record.steps ?? {},
    report,
    keepStep,
    observe,
    lose,
    abort: stop,
    finish() {
      hasEnded = true
    },
    assertHeld,
  }
}

/** Why a handler shall stop whose task another process has ended, or that has ended the task itself. */
function hasNoTask(taskId: string): TaskError {
  return new TaskError('The task is over: nothing that its handler does can change it.', { taskId })
}

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
