import { type ClientCapabilities, INTERNAL_ERROR, ProtocolError } from '@modelcontextprotocol/server'
import { TaskError, TaskExpiredError } from '../../protocol/errors.js'
import type { InputResponse } from '../../protocol/inputRequest.js'
import { isTerminal } from '../../protocol/task.js'
import type { Clock } from '../base/clock.js'
import { LIMIT_REACHED } from '../base/errorCodes.js'
import { createKeyedQueue } from '../base/keyedQueue.js'
import type { ReportError } from '../base/reportError.js'
import { createTally } from '../base/tally.js'
import { createEndedTasks, type EndedTaskLimits } from './endedTasks.js'
import type { TaskExecutor, TaskJob } from './executor.js'
import { createLeases, type Leases } from './leases.js'
import { newTaskRecord, type TaskSpec } from './newTaskRecord.js'
import { createStoreWatch } from './storeWatch.js'
import { createSweeper } from './sweeper.js'
import { toTaskFailure } from './taskFailure.js'
import { createTaskFeed, type TaskFollower } from './taskFeed.js'
import { createTaskLedger } from './taskLedger.js'
import type { TaskRecord } from './taskRecord.js'
import { isHeldBy, type RunEvent } from './taskReducer.js'
import { createTaskRun, type TaskRun } from './taskRun.js'
import type { TaskStore } from './taskStore.js'

/** All tasks of a server: those in the store, and the work on those of this process. */
export interface TaskRuntime {
  /**
   * Creates a task that is worked on here; it is in the store when this resolves.
   *
   * @throws {ProtocolError} where the owner, or this process, has too many tasks at work.
   */
  create(spec: TaskSpec, capabilities: ClientCapabilities): Promise<TaskRun>
  /**
   * Creates a task and has the executor do the work; the task is in the store and the work is safe when this resolves.
   *
   * @throws {ProtocolError} where the owner has too many tasks at work, what the executor throws.
   */
  enqueue(spec: TaskSpec, executor: TaskExecutor): Promise<TaskRecord>
  /** Takes the work of a job; undefined where it is taken, over or gone. */
  claim(job: TaskJob, capabilitiesOf: (record: TaskRecord) => Promise<ClientCapabilities>): Promise<TaskRun | undefined>
  /** The record of a task that is there and this owner's; undefined is all that anybody else learns. */
  read(taskId: string, owner: string): Promise<TaskRecord | undefined>
  /** Takes responses to open input requests; others are ignored. */
  answer(taskId: string, answers: Readonly<Record<string, InputResponse>>): Promise<void>
  requestCancel(taskId: string): Promise<void>
  /** Calls a follower with every state of the tasks, until they are over. Returns a function that unsubscribes. */
  follow(taskIds: readonly string[], follower: TaskFollower): () => void
  /**
   * Ends a run with its outcome, unless the task is over already, and resolves to how it stands then; where
   * that cannot be told, to how it was created. Never rejects.
   */
  settle(run: TaskRun, outcome: TaskOutcome): Promise<TaskRecord>
  /** Lets work go on for so many ms; what is left then is handed to other workers where it may be run again, or has failed. */
  close(drainMs?: number): Promise<void>
}

/** How work ends. */
export type TaskOutcome = Extract<RunEvent, { type: 'complete' | 'fail' }>

/** What a {@link TaskRuntime} is made of. */
export interface TaskRuntimeOptions extends EndedTaskLimits {
  store: TaskStore
  clock: Clock
  /** How often tasks are read again that another process may change, in ms. */
  pollIntervalMs: number
  maxTasks: number
  maxTasksPerOwner: number
  leaseMs: number
  /** Whether work that was lost may be done again; undefined for tools that are not known here. */
  mayRetry: (record: TaskRecord) => boolean | undefined
  /** Where work is done again. */
  executor: TaskExecutor
  report: ReportError
}

/** How many lost leases are looked at in one go. */
const MAX_RESCUED = 100

/** The tasks of a server over a store. */
export function createTaskRuntime(options: TaskRuntimeOptions): TaskRuntime {
  const { store, clock, pollIntervalMs, maxTasks, maxTasksPerOwner, leaseMs, mayRetry, report } = options
  const runs = new Map<string, TaskRun>()
  /** The same runs by owner, and those that are about to begin. */
  const atWork = createTally()
  const ended = createEndedTasks(options)
  const oneByOne = createKeyedQueue()
  const ledger = createTaskLedger({ store, clock, onRecord })
  const feed = createTaskFeed()
  const sweeper = createSweeper(clock, sweep)
  const taskIds = () => new Set([...runs.keys(), ...feed.followed()])
  const watch = createStoreWatch({
    clock,
    intervalMs: pollIntervalMs,
    taskIds,
    read: look,
    subscribe: store.watch?.bind(store),
    isKnown: (taskId, version) => (runs.get(taskId)?.version ?? 0) >= version,
  })
  /** Only where another process could take the work over, and find it. */
  const leases: Leases | undefined = isLeased(store) ? createLeases({ clock, leaseMs, renew, rescue }) : undefined
  let isClosed = false
  let onIdle = () => {}

  function endRun(taskId: string): void {
    const run = runs.get(taskId)
    if (run === undefined) return
    runs.delete(taskId)
    leases?.drop(run)
    atWork.remove(run.record.owner)
    if (runs.size === 0) onIdle()
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

  async function assertRoom(owner: string, ofOwnHere: number): Promise<void> {
    const others = (await store.countAtWork?.(owner)) ?? ofOwnHere
    if (others >= maxTasksPerOwner) throw isFull(maxTasksPerOwner)
    if (isClosed) throw new ProtocolError(SERVER_CLOSED.code, SERVER_CLOSED.message)
  }

  async function begin(spec: TaskSpec, capabilities: ClientCapabilities): Promise<TaskRun> {
    await assertRoom(spec.owner, atWork.of(spec.owner) - 1)
    const record = newTaskRecord(spec, clock.now(), 1, leases?.draw())
    await ledger.create(record)
    return enter(record, capabilities)
  }

  function enter(record: TaskRecord, capabilities: ClientCapabilities): TaskRun {
    const { taskId } = record.task
    const run = createTaskRun({
      record,
      capabilities,
      by: { attempt: record.attempt, worker: record.lease?.worker ?? '' },
      apply: (event) => ledger.apply(taskId, event),
    })
    runs.set(taskId, run)
    leases?.keep(run)
    sweeper.due(record.expiresAt)
    watchStore()
    return run
  }

  async function renew({ record, by }: TaskRun, until: number): Promise<boolean> {
    try {
      const after = await ledger.apply(record.task.taskId, { type: 'renew', by, until })
      return after !== undefined && isHeldBy(after, by)
    } catch (error) {
      report(error, { source: 'server' })
      return false
    }
  }

  async function rescue(now: number): Promise<void> {
    try {
      const lost = (await store.lapsed?.(now, MAX_RESCUED)) ?? []
      await Promise.all(lost.map(rescueOne))
    } catch (error) {
      report(error, { source: 'server' })
    }
  }

  async function rescueOne(taskId: string): Promise<void> {
    const record = await ledger.read(taskId)
    const retry = record && mayRetry(record)
    if (retry === undefined || leases === undefined) return
    const after = await ledger.apply(taskId, { type: 'orphan', mayRetry: retry, until: leases.untilClaimed() })
    if (after?.lease?.worker === '') await restart(after)
  }

  /** To the executor it is another job: one of the attempt before may still be about. */
  async function restart({ task, tool, attempt }: TaskRecord): Promise<void> {
    await options.executor.start({ taskId: task.taskId, tool, attempt: attempt + 1 })
  }

  /** Of tasks that are over so many are kept. */
  async function makeRoomFor(record: TaskRecord): Promise<void> {
    try {
      for (const taskId of ended.add(record)) await store.remove(taskId)
    } catch (error) {
      report(error, { source: 'server' })
    }
  }

  async function settle(run: TaskRun, outcome: TaskOutcome): Promise<TaskRecord> {
    const { record, by } = run
    try {
      // Its failing is the stopping. Whoever finds the lease over decides what becomes of the task.
      if (run.isLost && outcome.type === 'fail') return record
      const after = await ledger.apply(record.task.taskId, { ...outcome, by })
      if (after !== undefined && isTerminal(after.task.status)) await makeRoomFor(after)
      return after ?? record
    } catch (error) {
      report(error, { source: 'server' })
      return record
    } finally {
      // Also where the store has failed: there is no work any more.
      if (runs.get(record.task.taskId) === run) endRun(record.task.taskId)
    }
  }

  /** Lets another worker have the task, if there may be one and the tool may be run again. */
  async function handOver(run: TaskRun): Promise<boolean> {
    const { record, by } = run
    if (leases === undefined || mayRetry(record) !== true) return false
    try {
      const after = await ledger.apply(record.task.taskId, { type: 'handOver', by, until: clock.now() })
      if (after?.lease?.worker !== '') return false
      await restart(after)
    } catch (error) {
      report(error, { source: 'server' })
    }
    return true
  }

  async function drain(drainMs: number): Promise<void> {
    if (drainMs <= 0 || runs.size === 0) return
    let timer: unknown
    await new Promise<void>((resolve) => {
      onIdle = resolve
      timer = clock.setTimeout(resolve, drainMs)
    })
    clock.clearTimeout(timer)
  }

  return {
    create: (spec, capabilities) =>
      // Else two calls at once could both find the last free place.
      oneByOne(spec.owner, async () => {
        if (atWork.total >= maxTasks) throw isFull(maxTasks)
        // Before anything is waited for, or calls of many owners at once could all find the last place.
        atWork.add(spec.owner)
        try {
          return await begin(spec, capabilities)
        } catch (error) {
          atWork.remove(spec.owner)
          throw error
        }
      }),

    enqueue: (spec, executor) =>
      oneByOne(spec.owner, async () => {
        await assertRoom(spec.owner, 0)
        const waiting = leases && { worker: '', until: leases.untilClaimed() }
        const record = newTaskRecord(spec, clock.now(), 0, waiting)
        const { taskId } = record.task
        await ledger.create(record)
        sweeper.due(record.expiresAt)
        try {
          await executor.start({ taskId, tool: spec.tool, attempt: 1 })
        } catch (error) {
          // Nobody was told of the task, and a job that was taken all the same finds nothing to do.
          await store.remove(taskId)
          throw error
        }
        return record
      }),

    async claim({ taskId, attempt }, capabilitiesOf) {
      if (leases === undefined || isClosed || runs.has(taskId)) return undefined
      const lease = leases.draw()
      const record = await ledger.apply(taskId, { type: 'claim', attempt, lease })
      if (record === undefined || record.lease?.worker !== lease.worker) return undefined
      try {
        const capabilities = await capabilitiesOf(record)
        atWork.add(record.owner)
        return enter(record, capabilities)
      } catch (error) {
        const by = { attempt, worker: lease.worker }
        await ledger.apply(taskId, { type: 'fail', by, error: toTaskFailure(error) })
        throw error
      }
    },

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

    async close(drainMs = 0) {
      isClosed = true
      await drain(drainMs)
      sweeper.stop()
      watch.stop()
      leases?.stop()
      const closing = [...runs.values()]
      for (const { record } of closing) endRun(record.task.taskId)
      await Promise.all(
        closing.map(async (run) => {
          if (!(await handOver(run))) await settle(run, { type: 'fail', error: SERVER_CLOSED })
        }),
      )
      for (const run of closing) run.abort(new TaskError(SERVER_CLOSED.message))
      feed.close()
    },
  }
}

/** Whether processes claim the work of tasks: where there may be others, and what they lose can be found. */
export function isLeased(store: Pick<TaskStore, 'isShared' | 'lapsed'>): boolean {
  return store.isShared !== false && store.lapsed !== undefined
}

function isFull(limit: number): ProtocolError {
  return new ProtocolError(LIMIT_REACHED, `Too many tasks are at work (${limit}). Wait for one to end, or cancel one.`)
}

const SERVER_CLOSED = { code: INTERNAL_ERROR, message: 'The server was shut down before the tool had finished.' }
