import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import { ToolOutputError } from '../protocol/errors.js'

/** A tool's result with its `structuredContent` typed by an output schema. A tool's own error has `isError: true`. */
export type ToolOutput<T> =
  | (Omit<CallToolResult, 'structuredContent' | 'isError'> & { isError?: false | undefined; structuredContent: T })
  | (Omit<CallToolResult, 'structuredContent' | 'isError'> & { isError: true; structuredContent?: unknown })

/** The result type that an output schema makes; without one, a plain `CallToolResult`. */
export type ToolOutputOf<S> = S extends StandardSchemaV1 ? ToolOutput<StandardSchemaV1.InferOutput<S>> : CallToolResult

/**
 * The result with its `structuredContent` checked, and transformed where the schema does so. A tool's
 * own error (`isError`) is passed on unchecked: it carries no output.
 *
 * @throws {ToolOutputError} where it does not match.
 */
export async function toolOutput<S extends StandardSchemaV1 | undefined>(
  result: CallToolResult,
  toolName: string,
  schema: S,
): Promise<ToolOutputOf<S>> {
  if (schema === undefined || result.isError === true) return result as ToolOutputOf<S>
  const checked = await schema['~standard'].validate(result.structuredContent)
  if (checked.issues) throw new ToolOutputError(toolName, checked.issues)
  return { ...result, structuredContent: checked.value } as ToolOutputOf<S>
}
