import { INTERNAL_ERROR, ProtocolError } from '@modelcontextprotocol/server'
import { TaskError, TaskExpiredError } from '../protocol/errors.js'
import type { InputResponse } from '../protocol/inputRequest.js'
import { isTerminal } from '../protocol/task.js'
import type { Clock } from './clock.js'
import { createEndedTasks, type EndedTaskLimits } from './endedTasks.js'
import { LIMIT_REACHED } from './errorCodes.js'
import { newTaskRecord, type TaskSpec } from './newTaskRecord.js'
import type { ReportError } from './reportError.js'
import { createSerializer } from './serialize.js'
import { createStoreWatch } from './storeWatch.js'
import { createSweeper } from './sweeper.js'
import { createTally } from './tally.js'
import { createTaskFeed, type TaskFollower } from './taskFeed.js'
import { createTaskLedger } from './taskLedger.js'
import type { TaskRecord } from './taskRecord.js'
import type { TaskEvent } from './taskReducer.js'
import { createTaskRun, type TaskRun } from './taskRun.js'
import type { TaskStore } from './taskStore.js'

/** All tasks of a server: those in the store, and the work on those of this process. */
export interface TaskRuntime {
  /**
   * Creates a task; it is in the store when this resolves.
   *
   * @throws {ProtocolError} where the owner, or this process, has too many tasks at work.
   */
  create(spec: TaskSpec): Promise<TaskRun>
  /** The record of a task that is there and this owner's; undefined is all that anybody else learns. */
  read(taskId: string, owner: string): Promise<TaskRecord | undefined>
  /** Takes answers to open questions; what is not open is ignored. */
  answer(taskId: string, answers: Readonly<Record<string, InputResponse>>): Promise<void>
  requestCancel(taskId: string): Promise<void>
  /** Tells of the states of tasks, whoever changes them, until they are over or the function that is returned is called. */
  follow(taskIds: readonly string[], follower: TaskFollower): () => void
  /**
   * Ends a run with its outcome, unless the task is over already, and resolves to how it stands then; where
   * that cannot be told, to how it was created. Never rejects.
   */
  settle(run: TaskRun, outcome: TaskOutcome): Promise<TaskRecord>
  /** Stops all work; tasks that were at work have failed. */
  close(): Promise<void>
}

/** How work ends. */
export type TaskOutcome = Extract<TaskEvent, { type: 'complete' | 'fail' }>

/** What a {@link TaskRuntime} is made of. */
export interface TaskRuntimeOptions extends EndedTaskLimits {
  store: TaskStore
  clock: Clock
  /** How often tasks are read again that another process may change, in ms. */
  pollIntervalMs: number
  maxTasks: number
  maxTasksPerOwner: number
  report: ReportError
}

/** The tasks of a server over a store. */
export function createTaskRuntime(options: TaskRuntimeOptions): TaskRuntime {
  const { store, clock, pollIntervalMs, maxTasks, maxTasksPerOwner, report } = options
  const runs = new Map<string, TaskRun>()
  /** The same runs by owner, and those that are about to begin. */
  const atWork = createTally()
  const ended = createEndedTasks(options)
  const oneByOne = createSerializer()
  const ledger = createTaskLedger({ store, clock, onRecord })
  const feed = createTaskFeed()
  const sweeper = createSweeper(clock, sweep)
  const taskIds = () => new Set([...runs.keys(), ...feed.followed()])
  const watch = createStoreWatch({ clock, intervalMs: pollIntervalMs, taskIds, read: look })
  let isClosed = false

  function endRun(taskId: string): void {
    const run = runs.get(taskId)
    if (run === undefined) return
    runs.delete(taskId)
    atWork.remove(run.record.owner)
  }

  function onRecord(record: TaskRecord): void {
    const { taskId, status } = record.task
    const run = runs.get(taskId)
    if (isTerminal(status)) endRun(taskId)
    run?.observe(record)
    feed.publish(record)
  }

  /** To read is to notice: see `onRecord`. */
  async function look(taskId: string): Promise<void> {
    try {
      if ((await ledger.read(taskId)) === undefined) feed.drop(taskId)
    } catch (error) {
      report(error, { source: 'server' })
    }
  }

  function watchStore(): void {
    if (store.isShared !== false) watch.start()
  }

  async function sweep(now: number): Promise<number | null> {
    for (const [taskId, { record, abort }] of runs) {
      if (record.expiresAt === null || now < record.expiresAt) continue
      endRun(taskId)
      abort(new TaskExpiredError('ttl', { taskId }))
    }
    ended.dropExpired(now)
    const next = await store.expire(now).catch((error: unknown) => {
      report(error, { source: 'server' })
      return null
    })
    const moments = [next, ...[...runs.values()].map(({ record }) => record.expiresAt)].filter((at) => at !== null)
    return moments.length === 0 ? null : Math.min(...moments)
  }

  async function begin(spec: TaskSpec): Promise<TaskRun> {
    const others = (await store.countAtWork?.(spec.owner)) ?? atWork.of(spec.owner) - 1
    if (others >= maxTasksPerOwner) throw isFull(maxTasksPerOwner)
    if (isClosed) throw new ProtocolError(SERVER_CLOSED.code, SERVER_CLOSED.message)
    const record = newTaskRecord(spec, clock.now())
    const { taskId } = record.task
    const run = createTaskRun({
      record,
      capabilities: spec.capabilities,
      apply: (event) => ledger.apply(taskId, event),
    })
    await ledger.create(record)
    runs.set(taskId, run)
    sweeper.due(record.expiresAt)
    watchStore()
    return run
  }

  /** Of tasks that are over so many are kept. */
  async function makeRoomFor(record: TaskRecord): Promise<void> {
    try {
      for (const taskId of ended.add(record)) await store.remove(taskId)
    } catch (error) {
      report(error, { source: 'server' })
    }
  }

  async function settle({ record }: TaskRun, outcome: TaskOutcome): Promise<TaskRecord> {
    try {
      const after = await ledger.apply(record.task.taskId, outcome)
      if (after !== undefined) await makeRoomFor(after)
      return after ?? record
    } catch (error) {
      report(error, { source: 'server' })
      return record
    } finally {
      // Also where the store has failed: there is no work any more.
      endRun(record.task.taskId)
    }
  }

  return {
    create: (spec) =>
      // Else two calls at once could both find the last free place.
      oneByOne(spec.owner, async () => {
        if (atWork.total >= maxTasks) throw isFull(maxTasks)
        // Before anything is waited for, or calls of many owners at once could all find the last place.
        atWork.add(spec.owner)
        try {
          return await begin(spec)
        } catch (error) {
          atWork.remove(spec.owner)
          throw error
        }
      }),

    async read(taskId, owner) {
      const record = await ledger.read(taskId)
      return record?.owner === owner ? record : undefined
    },

    async answer(taskId, answers) {
      await ledger.apply(taskId, { type: 'answer', answers })
    },

    async requestCancel(taskId) {
      await ledger.apply(taskId, { type: 'requestCancel' })
    },

    follow(taskIds, follower) {
      const unfollow = feed.follow(taskIds, follower)
      watchStore()
      return unfollow
    },

    settle,

    async close() {
      isClosed = true
      sweeper.stop()
      watch.stop()
      const closing = [...runs.values()]
      for (const { record } of closing) endRun(record.task.taskId)
      await Promise.all(closing.map((run) => settle(run, { type: 'fail', error: SERVER_CLOSED })))
      for (const run of closing) run.abort(new TaskError(SERVER_CLOSED.message))
      feed.close()
    },
  }
}

function isFull(limit: number): ProtocolError {
  return new ProtocolError(LIMIT_REACHED, `Too many tasks are at work (${limit}). Wait for one to end, or cancel one.`)
}

const SERVER_CLOSED = { code: INTERNAL_ERROR, message: 'The server was shut down before the tool had finished.' }
