import type { ToolCallState } from 'taskwire'

/** The progress of a call as text. */
export function newsOf({
  phase,
  progress,
  task,
  network,
}: ToolCallState): string {
  if (network === 'offline')
    return phase === 'working'
      ? 'You are offline. The task keeps running.'
      : 'You are offline. Waiting for the network.'
  if (network === 'retrying')
    return 'The server cannot be reached, trying again…'
  if (network === 'paused') return 'Waiting.'
  if (phase === 'input_required') return 'Waiting for your answer.'
  return (
    progress?.message ??
    task?.statusMessage ??
    (phase === 'calling' ? 'Starting…' : 'Working…')
  )
}
