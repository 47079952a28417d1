import type { InferUITools, UIDataTypes, UIMessage } from 'ai'
import { createTaskClient } from 'taskwire'
import { mcpTools } from 'taskwire/ai'
import type { Tools } from './taskwire.gen'

const client = createTaskClient<Tools>({ url: 'https://example.com/mcp' })

export const tools = await mcpTools(client, { dynamic: false })

/**
 * Its parts are `tool-generate_report` and so on, with the arguments and
 * results of the server's tools.
 */
export type ToolMessage = UIMessage<
  unknown,
  UIDataTypes,
  InferUITools<typeof tools>
>
