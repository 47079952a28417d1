import type { StandardSchemaV1 } from '../../core/client/standardSchema.js'
import type { ToolName, ToolOutput, ToolResult } from '../../core/client/tools.js'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import { ToolOutputError } from '../../core/protocol/errors.js'

/** The result of a call: typed by the `outputSchema` option, else by the declared type of the tool. */
export type ToolOutputOf<S, T, Name extends ToolName<T>> = S extends StandardSchemaV1
  ? ToolOutput<StandardSchemaV1.InferOutput<S>>
  : ToolResult<T, Name>

/**
 * The result with its `structuredContent` checked, and transformed where the schema does so. A tool's
 * own error (`isError`) is passed on unchecked: it carries no output.
 *
 * @throws {ToolOutputError} if it does not match.
 */
export async function toolOutput(
  result: CallToolResult,
  toolName: string,
  schema: StandardSchemaV1 | undefined,
): Promise<CallToolResult> {
  if (schema === undefined || result.isError === true) return result
  const checked = await schema['~standard'].validate(result.structuredContent)
  if (checked.issues) throw new ToolOutputError(toolName, checked.issues)
  return { ...result, structuredContent: checked.value }
}
