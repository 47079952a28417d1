import type { ClientCapabilities } from '@modelcontextprotocol/server'
import { TaskCancelledError, TaskError, TaskExpiredError } from '../../core/protocol/errors.js'
import type { TaskProgress } from '../../core/protocol/progress.js'
import { isTerminal } from '../../core/protocol/task.js'
import { createInputRequests, type InputRequests, taskIsOver } from './inputRequests.js'
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
  /** True once the handler has ended. */
  readonly hasEnded: boolean
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
   * @throws {TaskExpiredError} if it is gone.
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
  return new Run(options)
}

/** A class, because there may be thousands at a time: with closures and accessors of its own, each takes seven times the memory. */
class Run implements TaskRun, RunScope {
  readonly record: TaskRecord
  readonly by: RunId
  readonly ask: InputRequests['ask'] = (build) => this.#inputs().ask(build)
  latest: TaskRecord
  isLost = false

  readonly #options: TaskRunOptions
  readonly #controller = new AbortController()
  readonly #isBehind: (progress: TaskProgress) => boolean
  #asked: InputRequests | undefined
  #isStopped = false
  hasEnded = false

  constructor(options: TaskRunOptions) {
    this.#options = options
    this.record = options.record
    this.latest = options.record
    this.by = options.by
    this.#isBehind = progressBefore(options.record)
  }

  get signal(): AbortSignal {
    if (!this.isLost && !this.hasEnded && this.#options.isLeaseOver?.() === true) this.lose()
    return this.#controller.signal
  }

  get steps(): NonNullable<TaskRecord['steps']> {
    return this.record.steps ?? {}
  }

  get isKept(): boolean {
    return this.record.call !== undefined
  }

  async change(event: RunEvent): Promise<TaskRecord> {
    const now = await this.#options.apply({ ...event, by: this.by })
    if (now === undefined) throw new TaskExpiredError('ttl', { taskId: this.record.task.taskId })
    return now
  }

  async report(reached: WorkReport): Promise<void> {
    this.assertHeld()
    if (reached.progress === undefined) return this.#tell({ type: 'status', message: reached.message })
    if (!this.#isBehind(reached)) {
      await this.#tell({ type: 'status', message: reportText(reached), progress: reached })
    }
  }

  async keepStep(name: string, step: TaskStep): Promise<void> {
    if (!this.isKept) return
    this.observe(await this.change({ type: 'step', name, step }))
    this.signal.throwIfAborted()
  }

  observe(now: TaskRecord): void {
    // A read from before this run that comes late says nothing of who has the task now.
    if (now.version < this.record.version) return
    const { taskId } = this.record.task
    if (now.version > this.latest.version) this.latest = now
    this.#asked?.observe(now.answers)
    if (isTerminal(now.task.status)) this.#asked?.rejectAll(taskIsOver())
    if (this.hasEnded) return
    if (now.cancelRequested) this.#controller.abort(new TaskCancelledError(undefined, { taskId }))
    if (isTerminal(now.task.status)) this.abort(hasNoTask(taskId))
    else if (!isHeldBy(now, this.by)) this.lose()
  }

  lose(): void {
    this.isLost = true
    const { taskId } = this.record.task
    this.abort(new TaskError('The lease of the task has expired, and another worker may have the task.', { taskId }))
  }

  abort(reason: Error): void {
    this.#isStopped = true
    this.#controller.abort(reason)
  }

  finish(): void {
    this.hasEnded = true
  }

  assertHeld(): void {
    const { signal } = this
    if (this.#isStopped) throw signal.reason
    if (isTerminal(this.latest.task.status)) throw hasNoTask(this.record.task.taskId)
  }

  async #tell(event: RunEvent): Promise<void> {
    this.observe(await this.change(event))
    this.assertHeld()
  }

  /** Few handlers ask for anything. */
  #inputs(): InputRequests {
    if (this.#asked !== undefined) return this.#asked
    const asked = createInputRequests(this, this.#options.capabilities)
    const { signal } = this.#controller
    signal.addEventListener('abort', () => asked.rejectAll(signal.reason), { once: true })
    this.#asked = asked
    return asked
  }
}

/** Why a handler shall stop whose task another process has ended, or that has ended the task itself. */
function hasNoTask(taskId: string): TaskError {
  return new TaskError('The task has ended, so its handler can no longer change it.', { taskId })
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
