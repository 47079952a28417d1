import type { ToolCallState } from 'taskwire'

/** The text of a result, for people. */
export function textOf(result: ToolCallState['result']): string {
  return (result?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}
