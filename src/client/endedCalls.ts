import type { ToolCallState } from '../call/toolCallState.js'
import { TaskExpiredError } from '../protocol/errors.js'
import { isTaskOver, type RecordedTask, recordedTask, type ToolCallRecord } from '../storage/toolCallRecord.js'
import type { TaskClientStore } from './createStore.js'

/**
 * The calls that ended in an earlier visit: listed in the store as their records have them, until somebody looks and the
 * outcome is fetched. They cost a record each, and no request.
 */
export interface EndedCalls {
  /** Lists the call of a record, where that is of a task that has ended. */
  list(record: ToolCallRecord): void
  /** The record of a call that is listed. */
  get(callId: string): ToolCallRecord | undefined
  /** Takes a call off the list; the store is left as it is. */
  delete(callId: string): void
  callIds(): readonly string[]
}

/** How many are listed: the newest. */
export const MAX_LISTED = 200

export function createEndedCalls(store: Pick<TaskClientStore, 'setCall' | 'removeCall'>): EndedCalls {
  const records = new Map<string, ToolCallRecord>()
  return {
    list: (record) => {
      const { callId, task } = record
      if (task === undefined || !isTaskOver(task)) return
      records.delete(callId)
      records.set(callId, record)
      store.setCall(endedState(record, task))
      const [oldest] = records.keys()
      if (records.size > MAX_LISTED && oldest !== undefined) {
        records.delete(oldest)
        store.removeCall(oldest)
      }
    },
    get: (callId) => records.get(callId),
    delete: (callId) => void records.delete(callId),
    callIds: () => [...records.keys()],
  }
}

function endedState({ callId, tool, startedAt }: ToolCallRecord, task: RecordedTask): ToolCallState {
  const state = {
    callId,
    name: tool,
    startedAt,
    endedAt: task.lost?.at ?? task.snapshotAt ?? task.notedAt ?? startedAt,
    task: recordedTask(task),
    inputRequests: {},
    inputResponses: {},
    isCancelling: false,
    network: 'ok' as const,
    failureCount: 0,
  }
  if (task.lost === undefined) return { phase: 'ended', ...state }
  return { phase: 'failed', ...state, error: new TaskExpiredError(task.lost.reason, { taskId: task.taskId, callId }) }
}
