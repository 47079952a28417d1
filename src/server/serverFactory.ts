import {
  type McpRequestContext,
  McpServer,
  type McpServerFactory,
  type ServerCapabilities,
} from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../protocol/errors.js'
import { TASKS_EXTENSION } from '../protocol/extension.js'
import { callTool } from './callTool.js'
import type { ToolDefinition } from './defineTool.js'
import type { Exchange } from './exchange.js'
import type { ServerParts } from './serverParts.js'
import { serveTaskMethods } from './taskMethods.js'

/** Builds the SDK's server for one request; `exchangeOf` finds what we know of that request. */
export function createServerFactory(
  parts: ServerParts,
  exchangeOf: (request: Request) => Exchange | undefined,
): McpServerFactory {
  const { serverInfo, serverOptions, tools, setup } = parts.config

  async function build(context: McpRequestContext): Promise<McpServer> {
    const exchange = context.requestInfo && exchangeOf(context.requestInfo)
    if (exchange === undefined) {
      throw new TaskConfigurationError('Failed to serve a request: it is unknown. Send requests through `fetch`.')
    }
    const capabilities = capabilitiesFor(context, serverOptions?.capabilities)
    const server = new McpServer(serverInfo, { ...serverOptions, capabilities })
    for (const tool of tools) registerTool(server, tool, exchange, parts)
    // The extension is not defined on the 2025 revisions, whose own tasks are another thing.
    if (context.era === 'modern') serveTaskMethods(server, exchange, parts)
    await setup?.(server, context)
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

function capabilitiesFor({ era }: McpRequestContext, own: ServerCapabilities = {}): ServerCapabilities {
  const capabilities = { tools: { listChanged: false }, ...own }
  if (era !== 'modern') return capabilities
  return { ...capabilities, extensions: { ...own.extensions, [TASKS_EXTENSION]: {} } }
}

function registerTool(server: McpServer, tool: ToolDefinition, exchange: Exchange, parts: ServerParts): void {
  const { name, title, description, inputSchema, outputSchema, annotations, icons } = tool
  const config = {
    inputSchema,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
    ...(icons !== undefined && { icons }),
  }
  server.registerTool(name, config, (args, ctx) => callTool({ tool, args, ctx, exchange }, parts))
}
