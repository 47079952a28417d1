import * as sdk from '@modelcontextprotocol/client'
import type { CallToolResult } from '../../protocol/callToolResult.js'
import { isJsonObject } from '../../protocol/json.js'
import { ProtocolError } from '../sdk.js'

/**
 * The result, if it is what the tool has declared: SDK v1 checks the output of some calls itself and of
 * tasks not. The validator is that of SDK v2.
 *
 * @throws {ProtocolError} as `callTool()` of SDK v2.
 */
export async function checkOutput(tool: unknown, name: string, result: CallToolResult): Promise<CallToolResult> {
  const schema = isJsonObject(tool) ? tool['outputSchema'] : undefined
  if (!isJsonObject(schema) || result.isError === true) return result
  if (result.structuredContent === undefined) {
    throw new ProtocolError(
      sdk.ProtocolErrorCode.InvalidRequest,
      `Tool ${name} has an output schema but did not return structured content`,
    )
  }
  const { issues } = await sdk.fromJsonSchema(schema)['~standard'].validate(result.structuredContent)
  const [issue] = issues ?? []
  if (issue === undefined) return result
  throw new ProtocolError(
    sdk.ProtocolErrorCode.InvalidParams,
    `Structured content does not match the tool's output schema: ${issue.message}`,
  )
}
