import type { InputRequest, InputResponse } from '../../core/protocol/inputRequest.js'
import type { DetailedTask } from '../../core/protocol/task.js'

/** The format of the records that this version writes: one more where a process of the version before would misread them. */
export const RECORD_FORMAT = 1

/**
 * Everything the server knows about a task: what a {@link TaskStore} keeps. Plain JSON, so that it can
 * be written to disk or sent over a network as it is. Treat the inside as opaque: a store needs
 * `task.taskId`, `task.status`, `owner`, `version`, `expiresAt` and `lease`, and gives back the rest unchanged.
 */
export interface TaskRecord {
  /** The snapshot that `tasks/get` answers with. */
  readonly task: DetailedTask
  /** The owner who may see the task, as the option `owner` named them. Empty if that option is not used. */
  readonly owner: string
  /** 1 at creation, one more with every change: what compare-and-set compares. */
  readonly version: number
  /** Which fields there are. A process leaves tasks alone whose format is later than its own. */
  readonly format: number
  /**
   * When the task expires, in ms since the epoch. Null means never. The process that works on a task moves this on, so work
   * does not expire.
   */
  readonly expiresAt: number | null
  /** How long the task is kept after its end, or while an input request is open, in ms; null: without limit. */
  readonly ttlMs: number | null
  /** How long the task is kept at least where it has failed and can be run again, in ms. */
  readonly keepFailedMs?: number
  /** The tool that was called. */
  readonly tool: string
  /** How often the tool was started: 0 while the task waits for its first worker. */
  readonly attempt: number
  /** How many workers have given the job back since it was queued, because they do not know the tool. */
  readonly returned?: number
  /** The worker of the task. Absent if nothing looks for lost work, and once the task is over. */
  readonly lease?: TaskLease
  /** The data to run the tool again or elsewhere. Absent if no process needs it. A task that has failed keeps it. */
  readonly call?: string
  /** For a call with a key: the data that a repetition is compared with, and its answer. At most 100 characters. */
  readonly repetition?: TaskRepetition
  /** The input requests so far, by their keys, if the handler may be run again. */
  readonly asked?: Readonly<Record<string, InputRequest>>
  /** The steps of `once()`, by their names, where the handler may be run again. */
  readonly steps?: Readonly<Record<string, TaskStep>>
  /** The responses of the client, by the key of the input request. Keys are never used twice. */
  readonly answers: Readonly<Record<string, InputResponse>>
  /** True once the client has asked to cancel a task that was not over. */
  readonly cancelRequested: boolean
  /** The content of the task as the option `seal` encrypted it. It is then nowhere else in the record. */
  readonly sealed?: string
}

/** The data of a call that may come again. */
export interface TaskRepetition {
  /** SHA-256 of the tool and its arguments. */
  readonly requestHash: string
  /** True if clients do not see the task: they wait for its outcome. */
  readonly isDirect: boolean
}

/** A claim on the work of a task, which its worker renews. */
export interface TaskLease {
  /** Drawn for this one claim; empty while the task waits for a worker. */
  readonly worker: string
  /** When the work counts as lost, in ms since the epoch. */
  readonly until: number
}

/** A step that must not run twice: begun, and then done with a value. */
export interface TaskStep {
  readonly isDone: boolean
  readonly value?: unknown
}
