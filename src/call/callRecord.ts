import {
  TaskCancelledError,
  TaskExpiredError,
  TaskProtocolError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import { isIdempotencyConflict } from '../protocol/extension.js'
import { type RecordedTask, recordSnapshot, type ToolCallRecord } from '../storage/toolCallRecord.js'
import { type Call, isTracked } from './call.js'

/** Whose records these are. */
export interface RecordOwner {
  readonly endpoint: string
  readonly scope: string
}

/** What is recorded of a call. Without a task it is an intent: its `tools/call` is under way. */
export function recordOf(call: Call, owner: RecordOwner, now: number, lost?: RecordedTask['lost']): ToolCallRecord {
  const { callId, name, key, argumentsHash, startedAt } = call
  const { endpoint, scope } = owner
  const keyed = key !== undefined && { key, ...(argumentsHash !== undefined && { argumentsHash }) }
  if (!isTracked(call)) return { callId, tool: name, ...keyed, endpoint, scope, startedAt, era: 'modern' }
  const { task, snapshotAt, receivedAt, earliestAt, answered, cancel, era } = call
  return {
    callId,
    tool: name,
    ...keyed,
    endpoint,
    scope,
    startedAt,
    era,
    task: {
      receivedAt,
      nextPollAt: earliestAt,
      notedAt: now,
      answered,
      isCancelling: cancel !== 'none',
      ...recordSnapshot(task),
      ...(snapshotAt !== undefined && { snapshotAt }),
      ...(lost && { lost }),
    },
  }
}

/** True if the storage has these facts already, from another tab. */
export function isRecorded(stored: RecordedTask | undefined, { task }: ToolCallRecord): boolean {
  if (stored === undefined || task === undefined || stored.taskId !== task.taskId) return false
  return stored.isCancelling === task.isCancelling && task.answered.every((key) => stored.answered.includes(key))
}

/**
 * What becomes of the record of a call that has ended. It is kept while the outcome can still be fetched, or while a
 * reload must learn that the outcome is unknown.
 *
 * @param isSent True if the `tools/call` may have reached the server.
 * @param isRepeated True if it may have done so before, and no response came.
 */
export function recordFate(
  call: Call,
  error: Error | undefined,
  isSent: boolean,
  era: ToolCallRecord['era'],
  isRepeated = false,
): 'keep' | 'remove' | 'leave' {
  if (isTracked(call)) {
    const isKeyed = call.key !== undefined
    // A keyed call is never repeated by itself, not even when its task is lost. A record of another era is of no use.
    if (error instanceof TaskExpiredError) return isKeyed && call.era === era ? 'keep' : 'remove'
    // A call without a key cannot be asked for again. Its record is left to the page that made it, which may be in the
    // back-forward cache.
    const isDelivered = call.stage === 'ending' && !(call.end instanceof Error)
    return isDelivered && !isKeyed && isSent ? 'remove' : 'keep'
  }
  // What has not been sent is not recorded; what is, another page has left.
  if (!isSent) return 'leave'
  // Cancelled before its response, or answered in a way that says nothing, the tool may run all the same.
  const isUnknown =
    error instanceof ToolCallInterruptedError ||
    error instanceof TaskCancelledError ||
    error instanceof TaskProtocolError ||
    (isRepeated && error instanceof ToolCallRejectedError && !isAnswer(error))
  return isUnknown ? 'keep' : 'remove'
}

/** False where nothing was said of the call that was sent before: by a gateway, or because this one has other arguments. */
function isAnswer({ code, data }: ToolCallRejectedError): boolean {
  return !(code >= 400 && code < 600) && !isIdempotencyConflict(data)
}
