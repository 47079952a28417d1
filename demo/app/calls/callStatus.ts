import {
  ConnectionFailedError,
  TaskExpiredError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
  type ToolCallState,
} from 'taskwire'

export type Tone = 'neutral' | 'active' | 'success' | 'warning' | 'danger'

export interface CallStatus {
  readonly label: string
  readonly tone: Tone
}

/** What a call is at, in a word or two. */
export function callStatus(call: ToolCallState): CallStatus {
  if (call.isCancelling) return { label: 'Cancelling', tone: 'neutral' }
  switch (call.phase) {
    case 'calling':
      return { label: 'Starting', tone: 'active' }
    case 'working':
      return { label: 'Working', tone: 'active' }
    case 'input_required':
      return { label: 'Asks you', tone: 'warning' }
    case 'ended':
      return { label: 'Ended', tone: 'neutral' }
    case 'completed':
      return call.result?.isError ? { label: 'Rejected', tone: 'warning' } : { label: 'Done', tone: 'success' }
    case 'cancelled':
      return { label: 'Cancelled', tone: 'neutral' }
    case 'failed':
      return { label: failureLabel(call.error), tone: 'danger' }
  }
}

/** Whether nothing more will come of a call. */
export function hasEnded({ phase }: ToolCallState): boolean {
  return phase === 'completed' || phase === 'failed' || phase === 'cancelled' || phase === 'ended'
}

function failureLabel(error: Error | undefined): string {
  if (error instanceof TaskExpiredError) return 'Expired'
  if (error instanceof ToolCallInterruptedError) return 'Interrupted'
  if (error instanceof ToolCallRejectedError) return 'Refused'
  if (error instanceof ConnectionFailedError) return 'Not sent'
  return 'Failed'
}
