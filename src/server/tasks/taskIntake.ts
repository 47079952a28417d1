import { type ClientCapabilities, INTERNAL_ERROR, ProtocolError } from '@modelcontextprotocol/server'
import type { TaskFailure } from '../../core/protocol/task.js'
import type { Clock } from '../base/clock.js'
import { createKeyedQueue } from '../base/keyedQueue.js'
import type { ReportError } from '../base/reportError.js'
import { createUnderWay } from '../base/underWay.js'
import type { TaskExecutor } from './executor.js'
import { createJobIntake, type JobIntake } from './jobIntake.js'
import type { Leases } from './leases.js'
import { limitReached } from './limitReached.js'
import { newTaskRecord, type TaskSpec } from './newTaskRecord.js'
import { createPersistentChanges } from './persistentChanges.js'
import type { Retention } from './retention.js'
import type { StoreWatch } from './storeWatch.js'
import { takeBack } from './takeBack.js'
import type { TaskLedger } from './taskLedger.js'
import { type TaskLease, type TaskRecord, UNTIL_EXPIRY } from './taskRecord.js'
import { createTaskRun, type TaskRun } from './taskRun.js'
import type { TaskRuns } from './taskRuns.js'
import type { TaskStore } from './taskStore.js'
import { notCreated } from './unavailable.js'
import { isUnwritten } from './unwritten.js'

/** Begins tasks and runs, as long as there is room for them. */
export interface TaskIntake extends JobIntake {
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
  /** Starts no more tasks. Resolves when those that were on their way into the store have begun, or were left to other workers. */
  close(): Promise<void>
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
  const { report } = options
  const { atWork } = runs
  // A store that does not count what it creates is asked first, or two calls at once could both find the last free place.
  const oneByOne = store.createUnlessFull === undefined ? createKeyedQueue() : inParallel
  /** Tasks that are being written to the store. `close()` waits for them, since each becomes a run that it has to stop. */
  const underWay = createUnderWay()
  let isClosed = false

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
    const isNeverStarted = spec.call === undefined
    const refuse = (error: unknown) => {
      // Where the claim is given, its creation is tried again.
      if (isNeverStarted && spec.claim === undefined && !isUnwritten(error))
        void takeBack(record, { store, clock, isClosed: () => isClosed })
      return Promise.reject(notCreated(error, isNeverStarted))
    }
    const created = await ledger.create(record, maxTasksPerOwner).catch(refuse)
    if (created === undefined) throw isFull(maxTasksPerOwner)
    return created
  }

  async function begin(spec: TaskSpec, capabilities: ClientCapabilities): Promise<TaskRun> {
    await assertRoom(spec.owner, atWork.of(spec.owner) - 1)
    return enter(await createRecord(spec, 1, leases?.draw(spec.claim) ?? unfoundLease(spec)), capabilities)
  }

  function enter(record: TaskRecord, capabilities: ClientCapabilities): TaskRun {
    const { task, tool } = record
    const apply = createPersistentChanges({
      clock,
      patienceMs: leaseMs,
      // Of work that has ended no progress is left to tell.
      apply: async (event) => (event.type === 'status' && run.hasEnded ? run.latest : ledger.apply(task.taskId, event)),
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

  const jobs = createJobIntake({ ...options, isClosed: () => isClosed, enter })

  return {
    create: (spec, capabilities) =>
      oneByOne(spec.owner, async () => {
        if (atWork.total >= maxTasks) throw isFull(maxTasks)
        // Before anything is waited for, or calls of many owners at once could all find the last place.
        atWork.add(spec.owner)
        try {
          return await underWay.track(begin(spec, capabilities))
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

    claim: (job, capabilitiesOf) => underWay.track(jobs.claim(job, capabilitiesOf)),
    note: jobs.note,
    giveBack: jobs.giveBack,

    async close() {
      isClosed = true
      await underWay.ended()
    },
  }
}

/** Without a search for lost work, an id that comes again still needs a claim: work that has outlived its task belongs to an earlier run. */
function unfoundLease({ taskId, claim = crypto.randomUUID() }: TaskSpec): TaskLease | undefined {
  return taskId === undefined ? undefined : { worker: claim, until: UNTIL_EXPIRY }
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
