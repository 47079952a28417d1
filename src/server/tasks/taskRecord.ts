import type { InputRequest, InputResponse } from '../../core/protocol/inputRequest.js'
import type { DetailedTask } from '../../core/protocol/task.js'

/** The format of the records that this version writes: one more where a process of the version before would misread them. */
export const RECORD_FORMAT = 1

/**
 * Everything that the server knows about a task and a {@link TaskStore} keeps. It is plain JSON, so a store can write it to
 * disk or send it over a network as it is. A store needs `task.taskId`, `task.status`, `owner`, `version`, `expiresAt` and
 * `lease`. Treat all other members as opaque, and return them unchanged.
 */
export interface TaskRecord {
  /** The snapshot that `tasks/get` answers with. */
  readonly task: DetailedTask
  /** The owner who may see the task, by the name that the option `owner` returned. Empty if that option is not used. */
  readonly owner: string
  /** The version for compare-and-set: 1 at creation, and one more with every change. */
  readonly version: number
  /** The version of the format. A process does not touch tasks in a later format than its own. */
  readonly format: number
  /**
   * When the task expires, in ms since the epoch. Null means never. The process that works on a task keeps postponing this
   * time, so work does not expire.
   */
  readonly expiresAt: number | null
  /** How long the task is kept after its end, or while an input request is open, in ms; null for no limit. */
  readonly ttlMs: number | null
  /** The minimum time for which the task is kept if it has failed and can be run again, in ms. */
  readonly keepFailedMs?: number
  /** The tool that was called. */
  readonly tool: string
  /** How often the tool was started; 0 while the task waits for its first worker. */
  readonly attempt: number
  /** How many of these runs a process has handed over because it closed: they do not count as lost. */
  readonly handedOver?: number
  /** How many workers have returned the job to the queue because they do not know the tool. */
  readonly returned?: number
  /** The worker of the task. Absent if no process looks for lost work, and once the task is over. */
  readonly lease?: TaskLease
  /** The data to run the tool again or in another process. Absent if no process needs it. A failed task keeps it. */
  readonly call?: string
  /** True once the call of a failed task was made again, as another task. It is not made a third time, also where that task is gone. */
  readonly wasRunAgain?: boolean
  /** For a call with a key: the data to recognise a repetition of the call, and how to answer it. At most 100 characters. */
  readonly repetition?: TaskRepetition
  /** The input requests so far, by their keys, if the handler may be run again. */
  readonly asked?: Readonly<Record<string, InputRequest>>
  /** The steps of `once()`, by their names, if the handler may be run again. */
  readonly steps?: Readonly<Record<string, TaskStep>>
  /** The responses of the client, by the key of the input request. Keys are never used twice. */
  readonly answers: Readonly<Record<string, InputResponse>>
  /** True once the client has requested to cancel the task before it was over. */
  readonly cancelRequested: boolean
  /** The content of the task, encrypted by the option `seal`. It is then nowhere else in the record. */
  readonly sealed?: string
}

/** The data of a call that a client may repeat. */
export interface TaskRepetition {
  /** SHA-256 of the tool and its arguments. */
  readonly requestHash: string
  /** True if the client does not see the task, but waits for its outcome. */
  readonly isDirect: boolean
}

/** A claim on the work of a task, which its worker renews. */
export interface TaskLease {
  /** A random id for this one claim; empty while the task waits for a worker. */
  readonly worker: string
  /** When the work counts as lost, in ms since the epoch. */
  readonly until: number
  /** Until when a job rests that a worker has given back, in ms since the epoch. Queues may deliver it before. */
  readonly restsUntil?: number
}

/** The `until` of a claim in a store that does not find lost work (no `lapsed`): the task is kept until it expires. */
export const UNTIL_EXPIRY: number = Number.MAX_SAFE_INTEGER

/** A step that must not run twice. It is begun first, and later done with a value. */
export interface TaskStep {
  readonly isDone: boolean
  readonly value?: unknown
}
