import { type ClientCapabilities, INTERNAL_ERROR, ProtocolError } from '@modelcontextprotocol/server'
import type { TaskFailure } from '../../core/protocol/task.js'
import type { Clock } from '../base/clock.js'
import { createKeyedQueue } from '../base/keyedQueue.js'
import type { ReportError } from '../base/reportError.js'
import type { TaskExecutor, TaskJob } from './executor.js'
import type { Leases } from './leases.js'
import { limitReached } from './limitReached.js'
import { newTaskRecord, type TaskSpec } from './newTaskRecord.js'
import { createPersistentChanges } from './persistentChanges.js'
import type { Retention } from './retention.js'
import type { StoreWatch } from './storeWatch.js'
import { toTaskFailure } from './taskFailure.js'
import type { TaskLedger } from './taskLedger.js'
import type { TaskLease, TaskRecord } from './taskRecord.js'
import { isWaiting } from './taskReducer.js'
import { createTaskRun, type TaskRun } from './taskRun.js'
import type { TaskRuns } from './taskRuns.js'
import type { TaskStore } from './taskStore.js'
import { notCreated } from './unavailable.js'

/** Begins tasks and runs, as long as there is room for them. */
export interface TaskIntake {
  /**
   * Creates a task that is worked on here; it is in the store when this resolves.
   *
   * @throws {ProtocolError} if the owner, or this process, has too many tasks at work, and if the store is not there.
   */
  create(spec: TaskSpec, capabilities: ClientCapabilities): Promise<TaskRun>
  /**
   * Creates a task and has the executor do the work; the task is in the store when this resolves. Its job is started again where
   * the executor could not start it.
   *
   * @throws {ProtocolError} if the owner has too many tasks at work, and if store or executor are not there.
   */
  enqueue(spec: TaskSpec, executor: TaskExecutor): Promise<TaskRecord>
  /** Takes the work of a job; undefined where it is taken, over or gone. */
  claim(job: TaskJob, capabilitiesOf: (record: TaskRecord) => Promise<ClientCapabilities>): Promise<TaskRun | undefined>
  /** Leaves the work of a job to another worker, because this one does not know the tool. Never rejects. */
  giveBack(job: TaskJob): Promise<void>
  /** Starts no more tasks. */
  close(): void
}

/** What a {@link TaskIntake} is made of. */
export interface TaskIntakeOptions {
  store: TaskStore
  clock: Clock
  ledger: TaskLedger
  runs: TaskRuns
  retention: Retention
  /** Undefined where no other process could take the work over, or find it. */
  leases: Leases | undefined
  /** Undefined where no other process changes tasks. */
  watch: StoreWatch | undefined
  maxTasks: number
  maxTasksPerOwner: number
  /** For how long what a handler does waits for a store that refuses it, in ms. */
  leaseMs: number
  /** Where jobs go that are given back. */
  executor: TaskExecutor
  report: ReportError
}

/** The intake of a server that has just been started. */
export function createTaskIntake(options: TaskIntakeOptions): TaskIntake {
  const { store, clock, ledger, runs, retention, leases, watch, maxTasks, maxTasksPerOwner, leaseMs } = options
  const { executor, report } = options
  const { atWork } = runs
  // A store that does not count what it creates is asked first, or two calls at once could both find the last free place.
  const oneByOne = store.createUnlessFull === undefined ? createKeyedQueue() : inParallel
  const onError = (error: unknown) => report(error, { source: 'server' })
  let isClosed = false

  /** After how many ms the job is to be sent again; 0 if it needs nothing more. */
  async function returnJob({ taskId, attempt }: TaskJob, { untilClaimed }: Leases): Promise<number> {
    const before = await ledger.read(taskId)
    const pauseMs = Math.min(FIRST_REST_MS * 2 ** (before?.returned ?? 0), LONGEST_REST_MS)
    const after = await ledger.apply(taskId, { type: 'giveBack', attempt, until: untilClaimed() + pauseMs })
    return after !== undefined && after.version > (before?.version ?? 0) && isWaiting(after) ? pauseMs : 0
  }

  async function assertRoom(owner: string, ofOwnHere: number): Promise<void> {
    if (isClosed) throw new ProtocolError(SERVER_CLOSED.code, SERVER_CLOSED.message)
    if (store.createUnlessFull !== undefined) return
    const counted = store.countAtWork?.(owner).catch((error: unknown) => Promise.reject(notCreated(error, true)))
    const others = (await counted) ?? ofOwnHere
    if (others >= maxTasksPerOwner) throw isFull(maxTasksPerOwner)
    if (isClosed) throw new ProtocolError(SERVER_CLOSED.code, SERVER_CLOSED.message)
  }

  async function createRecord(spec: TaskSpec, attempt: 0 | 1, lease?: TaskLease): Promise<TaskRecord> {
    const record = newTaskRecord(spec, clock.now(), attempt, lease)
    // Without the call, no process could start what may have been written all the same.
    const refuse = (error: unknown) => Promise.reject(notCreated(error, spec.call === undefined))
    const created = await ledger.create(record, maxTasksPerOwner).catch(refuse)
    if (created === undefined) throw isFull(maxTasksPerOwner)
    return created
  }

  async function begin(spec: TaskSpec, capabilities: ClientCapabilities): Promise<TaskRun> {
    await assertRoom(spec.owner, atWork.of(spec.owner) - 1)
    return enter(await createRecord(spec, 1, leases?.draw() ?? unfoundLease(spec)), capabilities)
  }

  function enter(record: TaskRecord, capabilities: ClientCapabilities): TaskRun {
    const { task, tool } = record
    const apply = createPersistentChanges({
      clock,
      patienceMs: leaseMs,
      apply: (event) => ledger.apply(task.taskId, event),
      signal: () => run.signal,
      onError: (error) => report(error, { source: 'server', tool }),
    })
    const run: TaskRun = createTaskRun({
      record,
      capabilities,
      by: { attempt: record.attempt, worker: record.lease?.worker ?? '' },
      apply,
      isLeaseOver: () => leases?.isOver(run) === true,
    })
    runs.add(run)
    retention.watch(record)
    watch?.start()
    return run
  }

  return {
    create: (spec, capabilities) =>
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
        await executor.ready?.().catch((error: unknown) => Promise.reject(notCreated(error, true)))
        await assertRoom(spec.owner, 0)
        const waiting = leases && { worker: '', until: leases.untilClaimed() }
        const record = await createRecord(spec, 0, waiting)
        try {
          await executor.start({ taskId: record.task.taskId, tool: spec.tool, attempt: 1 })
        } catch (error) {
          // The task stays: another process may have told a client of it, and a worker may have the job all the same. The job is
          // started again when the lease is over.
          report(error, { source: 'server', tool: spec.tool })
        }
        return record
      }),

    async claim({ taskId, attempt }, capabilitiesOf) {
      if (leases === undefined || isClosed || runs.get(taskId) !== undefined) return undefined
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

    async giveBack(job) {
      try {
        const pauseMs = leases === undefined ? 0 : await returnJob(job, leases)
        // The engine has forgotten the job then, which had the same id.
        if (pauseMs > 0) clock.setTimeout(() => void executor.start(job).catch(onError), pauseMs)
      } catch (error) {
        onError(error)
      }
    },

    close() {
      isClosed = true
    },
  }
}

/** How long a job rests that a worker has given back, in ms: the first time, and at most. */
const FIRST_REST_MS = 1000
const LONGEST_REST_MS = 30_000

/** Without a search for lost work, an id that comes again still needs a claim: work that has outlived its task belongs to an earlier run. */
function unfoundLease({ taskId }: TaskSpec): TaskLease | undefined {
  return taskId === undefined ? undefined : { worker: crypto.randomUUID(), until: Number.MAX_SAFE_INTEGER }
}

const inParallel = <T>(_key: string, run: () => Promise<T>): Promise<T> => run()

function isFull(limit: number): ProtocolError {
  return limitReached(`Too many tasks run (${limit}). Wait for one to end, or cancel one.`)
}

/** How a task ends whose work is not done when the server closes. */
export const SERVER_CLOSED: TaskFailure = {
  code: INTERNAL_ERROR,
  message: 'The server was shut down before the tool had finished.',
}
