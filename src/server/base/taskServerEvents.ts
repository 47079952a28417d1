/** How a task ended. */
export type TaskOutcomeName = 'completed' | 'failed' | 'cancelled'

/** The methods of a store that the server measures. */
export type StoreOperation = 'create' | 'get' | 'transition' | 'expire' | 'remove' | 'countAtWork' | 'lapsed' | 'list'

/**
 * An event of a task server or a worker, for metrics and logs. It contains nothing that a user, a client or a tool has
 * written.
 */
export type TaskServerEvent =
  | (TaskEventBase & { readonly type: 'task-created' })
  /** A worker has taken the work, for the first time or again. */
  | (TaskEventBase & { readonly type: 'task-claimed' })
  /** `ms` is the time from the creation of the task to its end. */
  | (TaskEventBase & { readonly type: 'task-ended'; readonly outcome: TaskOutcomeName; readonly ms: number })
  /** This process has stopped the work on the task because another process may have taken it over. */
  | (TaskEventBase & { readonly type: 'lease-lost' })
  /** A process has started lost work again. */
  | (TaskEventBase & { readonly type: 'task-rescued' })
  /** This process closes, and has left the task to another process. */
  | (TaskEventBase & { readonly type: 'task-handed-over' })
  /** A call or a stream was refused because the limit of tasks or streams in the options is reached. */
  | { readonly type: 'limit-reached'; readonly what: 'tasks' | 'streams' }
  /** Another process has changed a record first, so this process repeats its change. */
  | { readonly type: 'store-conflict' }
  | {
      readonly type: 'store-used'
      readonly operation: StoreOperation
      readonly ms: number
      readonly hasFailed: boolean
    }

/** Passes an event on. Never throws. */
export type NotifyServer = (event: TaskServerEvent) => void

/** The members that all events of a task have. */
export interface TaskEventBase {
  /** A hash of the task's id. It finds the task in logs, but gives no access to the task. */
  readonly task: string
  readonly tool: string
  /** How often the tool was started for the task. */
  readonly attempt: number
}

/** The current load of a process. */
export interface TaskServerGauges {
  /** Tasks that run in this process, or wait for their turn in it. */
  readonly running: number
  /** Tasks that wait for their turn in this process, and jobs of the `executor` that wait for a worker, if it counts them. */
  readonly waiting: number
  /** Streams of `subscriptions/listen` that are open in this process. */
  readonly openStreams: number
}
