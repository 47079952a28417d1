import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'

/** JSON-RPC, section 5.1: the code of an output that is missing, and of one that is wrong. */
export type OutputErrorCode = -32600 | -32602

/** What validates output, by the SDK that an app has. */
export interface OutputValidator {
  /** Resolves to what is wrong with the value; to undefined where it is what the schema describes. */
  validate(schema: JsonObject, value: unknown): Promise<string | undefined>
  /** The error that `callTool()` of that SDK throws. */
  error(code: OutputErrorCode, message: string): Error
}

/**
 * The result, if it is what the tool has declared: SDK v1 checks the output of some calls itself and of tasks not.
 *
 * @throws what `validator.error` returns.
 */
export async function checkOutput(
  validator: OutputValidator,
  tool: unknown,
  name: string,
  result: CallToolResult,
): Promise<CallToolResult> {
  const schema = isJsonObject(tool) ? tool['outputSchema'] : undefined
  if (!isJsonObject(schema) || result.isError === true) return result
  if (result.structuredContent === undefined) {
    throw validator.error(-32600, `Tool ${name} has an output schema but did not return structured content`)
  }
  const problem = await validator.validate(schema, result.structuredContent)
  if (problem === undefined) return result
  throw validator.error(-32602, `Structured content does not match the tool's output schema: ${problem}`)
}
