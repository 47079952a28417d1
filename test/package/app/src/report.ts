import { type CallToolResult, createTaskClient } from 'taskwire'
import { type ToolCallQuery, toolCallQueryOptions } from 'taskwire/query'

const client = createTaskClient({ url: '/mcp' })

/** The report that the page of a framework shows. */
export const reportOptions = (key: string): ToolCallQuery<CallToolResult> =>
  toolCallQueryOptions(client, { name: 'generate_report', arguments: { title: 'Sales' }, key })

export function textOf(result: CallToolResult | undefined): string | undefined {
  return result?.content.map((block) => (block.type === 'text' ? block.text : block.type)).join(' ')
}
