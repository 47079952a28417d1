import type { ToolCallRun } from '../engine/toolCallRun.js'
import type { TaskRecord } from '../storage/taskRecord.js'

/** The run of a call that is not made, and why: there is nothing to follow, to cancel or to answer. */
export function refusedRun(record: TaskRecord, reason: unknown): ToolCallRun {
  const outcome = Promise.reject(reason)
  outcome.catch(() => {})
  return {
    record,
    outcome,
    watch: () => () => {},
    cancel: () => Promise.resolve(),
    respond: () => Promise.reject(reason),
    receive: () => {},
    stop: () => {},
    leave: () => Promise.resolve(),
  }
}
