import type { ToolCallState } from 'taskwire'

/** The text of a result, for people. */
export function textOf(result: ToolCallState['result']): string {
  return (result?.content ?? [])
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
}

/** The progress of a call as text, for people. */
export function newsOf(call: ToolCallState | undefined): string {
  if (call?.phase === 'input_required') return 'Waiting for your answer.'
  return call?.progress?.message ?? 'Starting…'
}
