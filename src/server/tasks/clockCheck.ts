import { TaskError } from '../../core/protocol/errors.js'
import type { Clock } from '../base/clock.js'
import type { ReportError } from '../base/reportError.js'
import type { TaskRecord } from './taskRecord.js'

/** Says once that the clocks of the processes disagree. The work of a task does not depend on it: see `rescue.ts`. */
export interface ClockCheck {
  /** To be called with records that this process has read. */
  look(record: TaskRecord): void
  /** To be called where a worker has renewed a lease after it had to stop, by the clock here. */
  sawRenewal(): void
}

/** Nothing was said yet. Clocks agree if they differ by no more than a quarter of a lease. */
export function createClockCheck(clock: Clock, leaseMs: number, report: ReportError): ClockCheck {
  let isSaid = false

  function say(evidence: string): void {
    if (isSaid) return
    isSaid = true
    report(new TaskError(`${evidence}. ${ADVICE}`), { source: 'server' })
  }

  return {
    look({ task }) {
      if (isSaid) return
      const aheadMs = Date.parse(task.lastUpdatedAt) - clock.now()
      // Also for NaN.
      if (!(aheadMs > leaseMs / 4)) return
      const by = `${Math.round(aheadMs / 1000)} s ahead of the clock of this process`
      say(`A task was changed ${by}: the clocks of the processes disagree, or this one was set back`)
    },
    sawRenewal: () =>
      say(
        'A worker has renewed its lease when that was over by the clock of this process: ' +
          'the clocks of the processes disagree, or the store has taken long to write',
      ),
  }
}

const ADVICE =
  'Run NTP or chrony on every machine: until the clocks agree, lost work may be found late, and tasks may expire early.'
