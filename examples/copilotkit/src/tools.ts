import type { ReactFrontendTool } from '@copilotkit/react-core/v2'
import type { TaskClient } from 'taskwire'
import { type McpInputSchema, mcpTools } from 'taskwire/ai'
import { ToolCard } from './ToolCard'

/**
 * The tools of the server as tools of the page: the agent asks for one, and the
 * page calls it.
 */
export async function serverTools(
  client: TaskClient,
): Promise<ReactFrontendTool[]> {
  const tools = await mcpTools(client)
  return Object.entries(tools).map(
    ([name, { description = name, inputSchema }]) => ({
      name,
      description,
      parameters: inputSchema as McpInputSchema<Record<string, unknown>>,
      render: ToolCard,
      async handler(args, { toolCall, signal }) {
        try {
          // The id that the agent has given the tool call is its key: after a
          // reload it is the same call.
          const { content } = await client.callTool(
            { name, arguments: args },
            { key: toolCall.id, signal },
          )
          return content
            .map((block) => (block.type === 'text' ? block.text : ''))
            .join('\n')
        } catch (error) {
          // If a handler throws, CopilotKit does not ask the agent again.
          return `That did not work: ${(error as Error).message}`
        }
      },
    }),
  )
}
