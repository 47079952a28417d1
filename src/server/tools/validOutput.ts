import type { CallToolResult } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import type { ServerParts } from '../serverParts.js'
import type { ValidCall } from './callTool.js'
import { toolsFor } from './toolsFor.js'

/**
 * The result of a handler whose structured content fits the tool's `outputSchema`. The SDK checks what it sends as the answer of
 * that tool; this is for results that go another way, by a handle or into the store. As from the SDK, the caller gets an error
 * in words where it does not fit, and `onError` is called.
 */
export async function validOutput(
  { tool: { name }, exchange }: ValidCall,
  result: CallToolResult,
  { config, report }: ServerParts,
): Promise<CallToolResult> {
  // That of the call may be without it: see `withoutOutputSchema`.
  const tools = await toolsFor(exchange, config)
  const schema = tools.find((tool) => tool.name === name)?.outputSchema
  if (schema === undefined || result.isError === true) return result
  const { issues } = await schema['~standard'].validate(result.structuredContent)
  if (issues === undefined) return result
  const [issue] = issues
  const at = issue?.path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  const problem = `The tool ${name} returned structured content that does not fit its outputSchema: ${at ? `${at}: ` : ''}${issue?.message}`
  report(new TaskConfigurationError(`Failed to end a tool call. ${problem}`), { source: 'tool', tool: name })
  return { content: [{ type: 'text', text: problem }], isError: true }
}
