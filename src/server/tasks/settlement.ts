import { type Clock, unrefTimer } from '../base/clock.js'
import type { ReportError } from '../base/reportError.js'
import type { TaskLedger } from './taskLedger.js'
import type { TaskRecord } from './taskRecord.js'
import type { RunEvent } from './taskReducer.js'
import type { TaskRun } from './taskRun.js'
import type { TaskRuns } from './taskRuns.js'

/** How work ends. */
export type TaskOutcome = Extract<RunEvent, { type: 'complete' | 'fail' }>

/** Brings the outcomes of runs into the store. */
export interface Settlement {
  /**
   * Ends a run with its outcome, unless the task is over already, and resolves to how it stands then; where
   * that cannot be told, to how it was created. A failure after another outcome of the run changes nothing. Where the store does not take the outcome, it is offered again for as long as
   * this process lives and the task is there. Never rejects.
   */
  settle(run: TaskRun, outcome: TaskOutcome): Promise<TaskRecord>
  /** Offers what is left a last time. */
  close(): Promise<void>
}

/** What a {@link Settlement} is made of. */
export interface SettlementOptions {
  readonly clock: Clock
  readonly ledger: Pick<TaskLedger, 'apply'>
  readonly runs: TaskRuns
  readonly report: ReportError
}

/** The first pause before an outcome is offered again, in ms; each is twice as long as the one before. */
const FIRST_PAUSE_MS = 100
/** Short beside a lease: once the store is back, the outcome has to be there before the task counts as lost. */
const LONGEST_PAUSE_MS = 2000

/** No run has ended yet. */
export function createSettlement({ clock, ledger, runs, report }: SettlementOptions): Settlement {
  /** Runs that have an outcome, also where the store has not taken it. */
  const settled = new WeakSet<TaskRun>()
  /** Outcomes that the store has not taken, and what ends the pause before the next attempt. */
  const unsettled = new Map<TaskRun, { readonly outcome: TaskOutcome; timer: unknown }>()

  async function offer({ record, by }: TaskRun, outcome: TaskOutcome): Promise<TaskRecord> {
    const after = await ledger.apply(record.task.taskId, { ...outcome, by })
    return after ?? record
  }

  function offerLater(run: TaskRun, outcome: TaskOutcome, pauseMs: number): void {
    const timer = clock.setTimeout(() => void offerAgain(run, outcome, pauseMs), pauseMs)
    unrefTimer(timer)
    unsettled.set(run, { outcome, timer })
  }

  async function offerAgain(run: TaskRun, outcome: TaskOutcome, pauseMs: number): Promise<void> {
    try {
      await offer(run, outcome)
      unsettled.delete(run)
    } catch {
      // That the store is out of reach was reported with the first attempt.
      if (unsettled.has(run)) offerLater(run, outcome, Math.min(2 * pauseMs, LONGEST_PAUSE_MS))
    }
  }

  return {
    async settle(run, outcome) {
      const { record } = run
      const { taskId } = record.task
      run.finish()
      // Its failing is the stopping. Of a lost run, the process that finds the lease over decides what becomes of the task.
      const isStopping = outcome.type === 'fail' && (run.isLost || settled.has(run))
      settled.add(run)
      try {
        return isStopping ? record : await offer(run, outcome)
      } catch (error) {
        report(error, { source: 'server' })
        offerLater(run, outcome, FIRST_PAUSE_MS)
        return record
      } finally {
        // Also if the store has failed: the work has ended, and the lease of an outcome that the store refuses is not renewed.
        if (runs.get(taskId) === run) runs.remove(taskId)
      }
    },

    async close() {
      const left = [...unsettled]
      unsettled.clear()
      await Promise.all(
        left.map(([run, { outcome, timer }]) => {
          clock.clearTimeout(timer)
          return offer(run, outcome).catch((error: unknown) => report(error, { source: 'server' }))
        }),
      )
    },
  }
}
