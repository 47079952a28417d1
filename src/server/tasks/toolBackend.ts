import type { InputRequests } from './inputRequests.js'
import type { TaskStep } from './taskRecord.js'
import type { WorkReport } from './workReport.js'

/** What stands behind the context of a handler: the run of a task, or a call whose client waits. */
export interface ToolBackend extends Pick<InputRequests, 'ask'> {
  readonly signal: AbortSignal
  /** The steps of the runs before, by their names. */
  readonly steps: Readonly<Record<string, TaskStep>>
  /** Says where the work stands. */
  report(report: WorkReport): Promise<void>
  /** Notes how a step stands, for a handler that may be run again. */
  keepStep(name: string, step: TaskStep): Promise<void>
  /**
   * To be called when the handler has waited: the process may have slept through its lease, or the task may have ended.
   *
   * @throws the reason of `signal` if the run no longer has the task.
   */
  assertHeld(): void
}
