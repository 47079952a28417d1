/** How a task ended. */
export type TaskOutcomeName = 'completed' | 'failed' | 'cancelled'

/** The methods of a store that are measured. */
export type StoreOperation = 'create' | 'get' | 'transition' | 'expire' | 'remove' | 'countAtWork' | 'lapsed' | 'list'

/**
 * An event of a task server or a worker, for metrics and logs. It holds nothing that a user, a client or a tool has written.
 */
export type TaskServerEvent =
  | (TaskEventBase & { readonly type: 'task-created' })
  /** A worker has taken the work, for the first time or again. */
  | (TaskEventBase & { readonly type: 'task-claimed' })
  /** `ms` is how long the task was there. */
  | (TaskEventBase & { readonly type: 'task-ended'; readonly outcome: TaskOutcomeName; readonly ms: number })
  /** This process has stopped its work because another process may have the task. */
  | (TaskEventBase & { readonly type: 'lease-lost' })
  /** Work that was lost begins again. */
  | (TaskEventBase & { readonly type: 'task-rescued' })
  /** This process closes, and has left the task to another one. */
  | (TaskEventBase & { readonly type: 'task-handed-over' })
  /** A call or a stream was refused because there are as many tasks or streams as the options allow. */
  | { readonly type: 'limit-reached'; readonly what: 'tasks' | 'streams' }
  /** Another process has changed a record first, and the change is made again. */
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
  /** A hash of the id, which finds the task in logs and gives no access to it. */
  readonly task: string
  readonly tool: string
  /** How often the tool was started. */
  readonly attempt: number
}

/** How much a process has to do right now. */
export interface TaskServerGauges {
  /** Tasks that are worked on in this process, or wait for their turn in it. */
  readonly running: number
  /** Tasks that wait for their turn in this process, and jobs of the `executor` that wait for a worker, if it counts them. */
  readonly waiting: number
  /** Streams of `subscriptions/listen` that are open in this process. */
  readonly openStreams: number
}
