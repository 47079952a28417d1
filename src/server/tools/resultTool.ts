import { fromJsonSchema, INVALID_PARAMS, type McpServer, ProtocolError } from '@modelcontextprotocol/server'
import { supportsTasks } from '../../core/protocol/extension.js'
import type { Exchange } from '../http/exchange.js'
import { ownerOf } from '../http/ownerOf.js'
import { requestParams } from '../http/requestParams.js'
import { capabilitiesIn } from '../http/tasksCapability.js'
import type { ServerParts } from '../serverParts.js'
import { failedCall } from './callFailure.js'
import type { ToolDefinition } from './defineTool.js'
import { answerLater, DEFAULT_RESULT_TOOL } from './laterAnswer.js'

/** True for clients that get handles: the option is on, and they cannot follow tasks. */
export function getsHandles({ body, isLegacy }: Exchange, { config }: ServerParts): boolean {
  return config.resultTool !== undefined && (isLegacy || !supportsTasks(capabilitiesIn(requestParams(body))))
}

/** After how many ms a call of a tool is answered with a handle; undefined where it never is, and its client waits. */
export function handleAfterMs(
  { taskSupport }: Pick<ToolDefinition, 'taskSupport'>,
  exchange: Exchange,
  parts: ServerParts,
): number | undefined {
  return taskSupport === 'optional' && getsHandles(exchange, parts) ? parts.config.resultTool?.afterMs : undefined
}

/** The tool as clients see it that may get a handle in place of its result: without the schema that a handle does not fit. */
export function withoutOutputSchema({ outputSchema, ...tool }: ToolDefinition): ToolDefinition {
  return tool.taskSupport === 'optional' || outputSchema === undefined ? tool : { ...tool, outputSchema }
}

/** Adds the tool of the option `resultTool`. */
export function registerResultTool(server: McpServer, exchange: Exchange, parts: ServerParts): void {
  const { runtime, config } = parts
  const { name = DEFAULT_RESULT_TOOL, afterMs } = config.resultTool ?? { afterMs: 0 }
  const description =
    'Waits for the result of a tool that was still working when it was called. Takes the handle that the tool returned.'
  const inputSchema = fromJsonSchema<{ handle: string }>({
    type: 'object',
    properties: { handle: { type: 'string', description: 'As the tool returned it.' } },
    required: ['handle'],
  })
  server.registerTool(name, { description, inputSchema, annotations: { readOnlyHint: true } }, async ({ handle }) => {
    try {
      const record = await runtime.read(handle, await ownerOf(exchange, config))
      if (record?.repetition?.isDirect !== true) {
        throw new ProtocolError(INVALID_PARAMS, 'There is no call with this handle; its result may have expired.')
      }
      return await answerLater(record, exchange, parts, afterMs)
    } catch (error) {
      throw failedCall(error, { tool: { name }, exchange }, parts)
    }
  })
}
