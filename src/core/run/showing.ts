import type { Call } from '../record/call.js'
import { nextPoll, type PollReason } from '../record/decide.js'
import type { TaskRecord } from '../record/record.js'
import { show } from '../record/show.js'
import type { CallEntry, TaskEntry } from './entries.js'
import type { RunnerBase } from './runner.js'
import type { Known, Source } from './tap.js'

/** How others come to see what is known of a call. */
export interface Showing {
  /** Shows a call that may have changed. */
  shown(entry: CallEntry): void
  /** Tells whoever observes the client what has changed. `why`: why the poll that is sent comes now. */
  report(entry: CallEntry, before: Known, from: Source, why?: PollReason): void
}

export function createShowing({ calls, clock, rules, tap, onShown }: RunnerBase): Showing {
  const { policy } = rules

  function shown(entry: CallEntry): void {
    const next = show(entry.call, entry.task?.record, entry.shown)
    if (next === entry.shown) return
    entry.shown = next
    if (calls.get(next.callId) === entry) onShown(entry)
  }

  function report(
    entry: CallEntry,
    before: { call: Call; task: TaskRecord | undefined },
    from: Source,
    why?: PollReason,
  ): void {
    const { task } = entry
    tap.onChange?.({
      at: clock.last(),
      from,
      before,
      after: { call: entry.call, task: task?.record },
      next: task && { at: nextPoll(task.record, policy).at, why: why ?? reasonOf(task) },
      isLeader: task?.election?.isLeader() === true,
    })
  }

  function reasonOf(task: TaskEntry): PollReason {
    return task.because ?? nextPoll(task.record, policy).why
  }

  return { shown, report }
}
