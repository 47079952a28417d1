import type { ToolCallState } from '../../core/record/toolCallState.js'

/** The colour of a call. */
export function toneOf({ phase, result }: ToolCallState): string {
  if (phase === 'completed') return result.isError === true ? 'danger' : 'success'
  if (phase === 'input_required') return 'warning'
  if (phase === 'failed') return 'danger'
  return phase === 'calling' || phase === 'working' ? 'active' : 'muted'
}

/** The status of a call. */
export function statusOf({ phase, result, isCancelling }: ToolCallState): string {
  if (phase === 'completed') return result.isError === true ? 'The tool reports an error' : 'Completed'
  if (phase === 'cancelled') return 'Cancelled'
  if (phase === 'failed') return 'Failed'
  if (phase === 'ended') return 'Ended'
  if (isCancelling) return 'Cancelling'
  if (phase === 'input_required') return 'Waits for you'
  return phase === 'calling' ? 'Calling' : 'Working'
}

/** What a call that runs is doing, or why nothing new is known of it. */
export function waitOf({ network, progress, task, phase }: ToolCallState): string {
  if (network === 'offline') return `The network is gone.${phase === 'working' ? ' The tool keeps running.' : ''}`
  if (network === 'retrying') return 'The gateway cannot be reached. The page tries again.'
  if (phase === 'calling') return ''
  const { message, total } = progress ?? {}
  const count = progress && (total === undefined ? `${progress.progress}` : `${progress.progress} of ${total}`)
  if (count !== undefined) return message === undefined ? count : `${message} (${count})`
  return task?.statusMessage ?? ''
}
