import type { ClientCapabilities } from '@modelcontextprotocol/server'
import type { Clock } from '../base/clock.js'
import type { ReportError } from '../base/reportError.js'
import type { TaskExecutor, TaskJob } from './executor.js'
import type { Leases } from './leases.js'
import type { StoreWatch } from './storeWatch.js'
import { toTaskFailure } from './taskFailure.js'
import type { TaskLedger } from './taskLedger.js'
import type { TaskLease, TaskRecord } from './taskRecord.js'
import { isWaiting, type RunId } from './taskReducer.js'
import type { TaskRun } from './taskRun.js'
import type { TaskRuns } from './taskRuns.js'

/** Takes the work of jobs. */
export interface JobIntake {
  /** Takes the work of a job; undefined where it is taken, over or gone. */
  claim(job: TaskJob, capabilitiesOf: (record: TaskRecord) => Promise<ClientCapabilities>): Promise<TaskRun | undefined>
  /** Notes a version that the store tells of: it matters to a task whose claim is on its way. */
  note(taskId: string, version: number): void
  /** Leaves the work of a job to another worker, because this one does not know the tool. Never rejects. */
  giveBack(job: TaskJob): Promise<void>
}

/** What a {@link JobIntake} is made of. */
export interface JobIntakeOptions {
  clock: Clock
  ledger: TaskLedger
  runs: TaskRuns
  /** Undefined where no other process could take the work over, or find it. */
  leases: Leases | undefined
  /** Undefined where no other process changes tasks. */
  watch: StoreWatch | undefined
  /** Where jobs go that are given back. */
  executor: TaskExecutor
  report: ReportError
  /** True once no more work is to begin here. */
  isClosed: () => boolean
  /** Begins the run of a task that was claimed. */
  enter: (record: TaskRecord, capabilities: ClientCapabilities) => TaskRun
}

/** The intake of jobs of a server that has just been started. */
export function createJobIntake(options: JobIntakeOptions): JobIntake {
  const { clock, ledger, runs, leases, watch, executor, report, isClosed, enter } = options
  const onError = (error: unknown) => report(error, { source: 'server' })

  /** Tasks whose claims are on their way, with the newest version that the store has told of meanwhile. */
  const noted = new Map<string, number>()

  /**
   * ```
   * worker   claim ........................ answered with version 2
   * store           version 2, version 3
   * client                     cancels
   * ```
   */
  async function claimWork({ taskId, attempt }: TaskJob, lease: TaskLease): Promise<TaskRecord | undefined> {
    watch?.start()
    noted.set(taskId, 0)
    try {
      const claimed = await ledger.apply(taskId, { type: 'claim', attempt, lease })
      if (claimed === undefined || claimed.version >= (noted.get(taskId) ?? 0)) return claimed
      return await ledger.read(taskId).catch(() => claimed)
    } finally {
      noted.delete(taskId)
    }
  }

  /**
   * Nothing has been done for a job that was claimed while this process began to close, so another worker gets it whatever its tool. One that
   * was cancelled meanwhile ends.
   */
  async function passOn({ taskId, tool, attempt }: TaskJob, by: RunId): Promise<void> {
    const after = await ledger.apply(taskId, { type: 'handOver', by, until: clock.now() })
    if (after !== undefined && isWaiting(after)) await executor.start({ taskId, tool, attempt: attempt + 1 })
  }

  /** After how many ms the job is to be sent again; 0 if it needs nothing more. */
  async function returnJob({ taskId, attempt }: TaskJob, { untilClaimed }: Leases): Promise<number> {
    const before = await ledger.read(taskId)
    const pauseMs = Math.min(FIRST_REST_MS * 2 ** (before?.returned ?? 0), LONGEST_REST_MS)
    const restsUntil = clock.now() + pauseMs
    const event = { type: 'giveBack', attempt, until: untilClaimed() + pauseMs, restsUntil } as const
    const after = await ledger.apply(taskId, event)
    return after !== undefined && after.version > (before?.version ?? 0) && isWaiting(after) ? pauseMs : 0
  }

  return {
    note(taskId, version) {
      const newest = noted.get(taskId)
      if (newest !== undefined && newest < version) noted.set(taskId, version)
    },

    async claim(job, capabilitiesOf) {
      const { taskId, attempt } = job
      if (leases === undefined || isClosed() || runs.get(taskId) !== undefined) return undefined
      const lease = leases.draw()
      const by = { attempt, worker: lease.worker }
      const record = await claimWork(job, lease)
      if (record === undefined || record.lease?.worker !== lease.worker) return undefined
      try {
        const capabilities = await capabilitiesOf(record)
        if (isClosed() || record.cancelRequested) {
          await passOn(job, by)
          return undefined
        }
        runs.atWork.add(record.owner)
        return enter(record, capabilities)
      } catch (error) {
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
  }
}

/** How long a job rests that a worker has given back, in ms: the first time, and at most. */
const FIRST_REST_MS = 1000
const LONGEST_REST_MS = 30_000
