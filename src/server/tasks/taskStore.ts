import type { TaskListFilter, TaskPage } from './taskList.js'
import type { TaskRecord } from './taskRecord.js'

/**
 * Where tasks live. {@link InMemoryTaskStore} is the default; implement this over a database to keep
 * tasks across restarts or to share them between processes.
 *
 * **Strong consistency is part of the contract.** A server must not answer with a task before a
 * `tasks/get` for it would resolve, on any process (SEP-2663, "Task Creation"): `create` and
 * `transition` may resolve only when every later `get` sees what they wrote. A store over an eventually
 * consistent database waits for consistency itself.
 *
 * A promise that rejects is final: retries belong inside the store.
 *
 * Not the `TaskStore` of the official SDK, which has other methods: neither can stand in for the other.
 */
export interface TaskStore {
  /**
   * Whether other processes write to the same records. If so, the server reads tasks again every
   * `pollIntervalMs` while work on them runs here or a client listens to them: that is how it learns of
   * answers, cancellations and results that another process took. If not, only what `watch` reports is read again, which
   * another server of this process may have written. @default true
   */
  readonly isShared?: boolean

  /**
   * Adds a record, unless there is one with this `task.taskId`: of several processes that add one of the same id, one succeeds.
   * Rejects, changing nothing, where one is there already, also one past its `expiresAt`. A call that comes again, perhaps at
   * the same time in another process, has the id that it had before.
   */
  create(record: TaskRecord): Promise<void>

  /**
   * As `create`, unless its owner has `maxAtWork` tasks that are not over: then it resolves to false, changing nothing. Of
   * racing creations of one process no more go through than fit. With it, a call takes one operation of the store instead of
   * two, and calls of one owner do not wait for each other.
   */
  createUnlessFull?(record: TaskRecord, maxAtWork: number): Promise<boolean>

  /** The current record, also one past its `expiresAt` that has not been removed yet. */
  get(taskId: string): Promise<TaskRecord | undefined>

  /**
   * Compare-and-set: atomically puts `next` in the place of the record of the same `task.taskId` if that one has the version
   * `expectedVersion`. Resolves to false, changing nothing, if it has another one or is not there. `previous` is the record of
   * that version: a store may compare it with `next` by identity, and write only the members that differ. The arguments of a
   * call may be megabytes; a renewed lease is a few bytes.
   */
  transition(next: TaskRecord, expectedVersion: number, previous?: TaskRecord): Promise<boolean>

  /**
   * Removes every record whose `expiresAt` is at or before `now`, in ms since the epoch. Resolves to the earliest `expiresAt`
   * that is left, or to null where nothing is left to expire. A store whose database expires records automatically does nothing
   * and resolves to null.
   */
  expire(now: number): Promise<number | null>

  /** Removes a record; does nothing if it does not exist. The server removes tasks that are over to make room. */
  remove(taskId: string): Promise<void>

  /**
   * How many tasks of an owner are not over, in all processes. Called before each creation, so it must not read them: keep
   * a number, or an index. Tasks that have expired and were not removed yet may count. Leave it out where the store cannot
   * tell: then each process counts the tasks it works on, and an owner may have `maxTasksPerOwner` in each.
   */
  countAtWork?(owner: string): Promise<number>

  /**
   * The ids of tasks that are not over and whose `lease.until` is at or before `now`, in ms since the epoch: at most so
   * many, in any order. Called a few times per lease by every process, so it must not read all tasks: keep an index. With
   * it, tasks whose process was lost are found; a server with an `executor` needs it.
   */
  lapsed?(now: number, limit: number): Promise<readonly string[]>

  /**
   * Lists tasks for operators, the newest first (`createdAt`, then `taskId`), a page at a time. It must not read whole
   * records: keep what `TaskSummary` has beside them. Without it, `server.operator.list` rejects.
   */
  list?(filter: TaskListFilter): Promise<TaskPage>

  /**
   * Calls the listener after each change that a process has made to a record that was there, with the id and the version
   * that it has then; without arguments when changes may have been missed: once it can tell of them, and after a lost
   * connection. Returns a function that unsubscribes. With it, processes learn of changes at once instead of by reading
   * every `pollIntervalMs`. A change that is never reported is noticed 15 s later.
   */
  watch?(onChange: (taskId?: string, version?: number) => void): () => void
}
