import type { InputResponse } from '../protocol/inputRequest.js'
import type { DetailedTask } from '../protocol/task.js'

/**
 * Everything the server knows about a task: what a {@link TaskStore} keeps. Plain JSON, so that it can
 * be written to disk or sent over a network as it is. Treat the inside as opaque: a store needs
 * `task.taskId`, `owner`, `version` and `expiresAt`, and gives back the rest unchanged.
 */
export interface TaskRecord {
  /** The snapshot that `tasks/get` answers with. */
  readonly task: DetailedTask
  /** Who may see the task, as the option `owner` named them. Empty where that option is not used. */
  readonly owner: string
  /** 1 at creation, one more with every change: what compare-and-set compares. */
  readonly version: number
  /** When the task is gone, in ms since the epoch; null: never. */
  readonly expiresAt: number | null
  /** What the client answered, by the key of the question. Keys are never used twice. */
  readonly answers: Readonly<Record<string, InputResponse>>
  /** True once the client has asked to cancel a task that was not over. */
  readonly cancelRequested: boolean
}
