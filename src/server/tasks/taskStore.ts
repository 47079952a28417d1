import type { TaskListFilter, TaskPage } from './taskList.js'
import type { TaskRecord } from './taskRecord.js'

/**
 * Keeps tasks. {@link InMemoryTaskStore} is the default; implement this interface over a database to keep tasks across
 * restarts or to share them between processes.
 *
 * **Strong consistency is part of the contract.** A server must not answer with a task before a `tasks/get` for it would
 * resolve, on any process (SEP-2663, "Task Creation"): `create` and `transition` may resolve only when every later `get`
 * sees the new record. A store over an eventually consistent database must itself wait for consistency.
 *
 * The server does not repeat an operation that rejects: retry inside the store. After a `create` or a `transition` that rejects, it
 * reads the task, since the store may have made the change.
 *
 * This is not the `TaskStore` of the official SDK, which has other methods: you cannot use one in place of the other.
 */
export interface TaskStore {
  /**
   * Whether other processes write to the same records. If true, the server reads a task again every `pollIntervalMs` while
   * work on the task runs in this process or a client listens to the task, to learn of answers, cancellations and results
   * that another process received. If false, it only reads a task again if `watch` reports a change, which another server
   * in this process may have made. @default true
   */
  readonly isShared?: boolean

  /**
   * Adds a record, unless there is one with this `task.taskId`. If several processes add a record with the same id, only
   * one succeeds. Rejects, without a change, if a record with the id exists, even past its `expiresAt`. A repeated call has
   * the same id as before, and may come at the same time in another process.
   */
  create(record: TaskRecord): Promise<void>

  /**
   * Like `create`, but if the owner already has `maxAtWork` unfinished tasks, it resolves to false without a change.
   * Concurrent creations by one process must not exceed the limit. With this method, a call takes one operation of the
   * store instead of two, and calls of one owner do not wait for each other.
   */
  createUnlessFull?(record: TaskRecord, maxAtWork: number): Promise<boolean>

  /** Resolves to the current record, even one past its `expiresAt` that is not removed yet. */
  get(taskId: string): Promise<TaskRecord | undefined>

  /**
   * Compare-and-set: atomically replaces the record with the same `task.taskId` by `next`, if its version is
   * `expectedVersion`. Resolves to false, without a change, if the record has another version or does not exist. `previous`
   * is the record of the expected version: a store may compare its members with those of `next` by identity, and write only
   * the members that differ. The arguments of a call may be megabytes; a renewed lease is a few bytes.
   */
  transition(next: TaskRecord, expectedVersion: number, previous?: TaskRecord): Promise<boolean>

  /**
   * Removes every record whose `expiresAt` is at or before `now`, in ms since the epoch. `transition` postpones `expiresAt`
   * or brings it forward; its newest value counts. Resolves to the earliest remaining `expiresAt`, or to null if no
   * remaining record expires. If the database expires records automatically, do nothing and resolve to null.
   */
  expire(now: number): Promise<number | null>

  /** Removes a record; does nothing if it does not exist. The server removes ended tasks to make room. */
  remove(taskId: string): Promise<void>

  /**
   * Resolves to the number of unfinished tasks of an owner, in all processes. Called before each creation, so it must not
   * read the tasks: keep a counter or an index. Expired tasks that are not removed yet may count. Leave the method out if
   * the store cannot count: then each process counts its own running tasks, and an owner may have `maxTasksPerOwner` tasks
   * in each process.
   */
  countAtWork?(owner: string): Promise<number>

  /**
   * Resolves to the ids of unfinished tasks whose `lease.until` is at or before `now`, in ms since the epoch: at most
   * `limit`, in any order. Every process calls it a few times per lease, so it must not read all tasks: keep an index. The
   * server uses it to find tasks whose process was lost. Required with an `executor`.
   */
  lapsed?(now: number, limit: number): Promise<readonly string[]>

  /**
   * Lists tasks for operators, the newest first (`createdAt`, then `taskId`), a page at a time. It must not read whole
   * records: keep the members of `TaskSummary` separately. Without this method, `server.operator.list` rejects.
   */
  list?(filter: TaskListFilter): Promise<TaskPage>

  /**
   * Calls the listener after each change that any process has made to an existing record, with the id and the new version.
   * Calls it without arguments when it may have missed changes: once it starts to watch, and after a lost connection.
   * Returns a function that unsubscribes. With this method, processes learn of changes at once, instead of reading every
   * `pollIntervalMs`. If a change is never reported, the server notices it after 15 s.
   */
  watch?(onChange: (taskId?: string, version?: number) => void): () => void
}
