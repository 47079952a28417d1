import { type McpRequestContext, McpServer, type McpServerFactory } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { IDEMPOTENT_CALLS_EXTENSION, TASKS_EXTENSION } from '../../core/protocol/extension.js'
import type { Exchange } from '../http/exchange.js'
import type { ServerParts } from '../serverParts.js'
import { convertedOnce } from './convertedOnce.js'
import type { ToolDefinition } from './defineTool.js'
import { callInstrumentedTool } from './instrumentedCall.js'
import { getsHandles, registerResultTool, withoutOutputSchema } from './resultTool.js'
import { serveTaskMethods, TASK_METHODS } from './taskMethods.js'
import { toolsFor } from './toolsFor.js'

/** Builds the SDK's server for one request; `exchangeOf` finds what we know of that request. */
export function createServerFactory(
  parts: ServerParts,
  exchangeOf: (request: Request) => Exchange | undefined,
): McpServerFactory {
  const { serverInfo, serverOptions, setup } = parts.config

  async function build(context: McpRequestContext): Promise<McpServer> {
    const exchange = context.requestInfo && exchangeOf(context.requestInfo)
    if (exchange === undefined) {
      throw new TaskConfigurationError('Failed to serve a request: it is unknown. Send requests through `fetch`.')
    }
    const tools = await toolsFor(exchange, parts.config)
    const listChanged = typeof parts.config.tools === 'function'
    const capabilities = { tools: { listChanged }, ...serverOptions?.capabilities }
    const server = new McpServer(serverInfo, { ...serverOptions, capabilities })
    const hasHandles = getsHandles(exchange, parts)
    for (const tool of tools) registerTool(server, hasHandles ? withoutOutputSchema(tool) : tool, exchange, parts)
    if (hasHandles) registerResultTool(server, exchange, parts)
    await setup?.(server, context)
    refuseOtherTasks(server)
    // The extension is not defined on the 2025 revisions, whose own tasks are another thing.
    if (context.era === 'modern') {
      server.server.registerCapabilities({
        extensions: { [TASKS_EXTENSION]: {}, ...idempotentCalls(tools, parts.config) },
      })
      serveTaskMethods(server, exchange, parts)
    }
    return server
  }

  return async (context) => {
    try {
      return await build(context)
    } catch (error) {
      parts.report(error, { source: 'server' })
      throw error
    }
  }
}

/** Says that repeated calls are known, and for how long at least. */
function idempotentCalls(
  tools: readonly ToolDefinition[],
  { idempotentCalls, ttlOf }: ServerParts['config'],
): Record<string, { keyTtlMs?: number }> {
  if (idempotentCalls === false) return {}
  const keyTtlMs = Math.min(...tools.map((tool) => ttlOf(tool) ?? Number.POSITIVE_INFINITY))
  return { [IDEMPOTENT_CALLS_EXTENSION]: Number.isFinite(keyTtlMs) ? { keyTtlMs } : {} }
}

/** Two servers of tasks on one connection would each response for tasks that the other has. */
function refuseOtherTasks({ server }: McpServer): void {
  try {
    if (server.getCapabilities().extensions?.[TASKS_EXTENSION] === undefined) {
      for (const method of TASK_METHODS) server.assertCanSetRequestHandler(method)
      return
    }
  } catch (error) {
    throw hasOtherTasks(error)
  }
  throw hasOtherTasks()
}

function hasOtherTasks(cause?: unknown): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to serve a request: \`setup\` has put ${TASKS_EXTENSION}, or a method of it, on the server. ` +
      'Leave that out: this server serves it, and its tasks are in the option `store`.',
    { cause },
  )
}

function registerTool(server: McpServer, tool: ToolDefinition, exchange: Exchange, parts: ServerParts): void {
  const { name, title, description, inputSchema, outputSchema, annotations, icons, _meta } = tool
  const config = {
    inputSchema: convertedOnce(inputSchema),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(outputSchema !== undefined && { outputSchema: convertedOnce(outputSchema) }),
    ...(annotations !== undefined && { annotations }),
    ...(icons !== undefined && { icons }),
    ...(_meta !== undefined && { _meta: { ..._meta } }),
  }
  server.registerTool(name, config, (args, ctx) => callInstrumentedTool({ tool, args, ctx, exchange }, parts))
}
