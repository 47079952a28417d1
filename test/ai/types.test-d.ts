import type { useChat } from '@ai-sdk/react'
import { Chat } from '@ai-sdk/react'
import { type InferUITools, streamText, type ToolSet, type UIMessage } from 'ai'
import type { InferUITools as InferUITools6, ToolSet as ToolSet6 } from 'ai-6'
import { streamText as streamText6 } from 'ai-6'
import type { CallToolResult, TaskClient } from 'taskwire'
import { type McpToolOutput, mcpTools, resumeToolParts } from 'taskwire/ai'
import { expectTypeOf, test } from 'vitest'

interface Tools {
  generate_report: { arguments: { quarter: string }; structuredContent: { total: number } }
  ping: { arguments?: { deep?: boolean } | undefined }
}

declare const client: TaskClient
declare const typedClient: TaskClient<Tools>

test('the tools are those of ai 7 and of ai 6', async () => {
  const tools = await mcpTools(client)
  expectTypeOf(tools).toExtend<ToolSet>()
  expectTypeOf(tools).toExtend<ToolSet6>()
  type Model = Parameters<typeof streamText>[0]['model']
  streamText({ model: {} as Model, prompt: '', tools: { ...tools } })
  streamText6({ model: {} as Parameters<typeof streamText6>[0]['model'], prompt: '', tools })
})

test('a client that knows its tools types the parts of messages', async () => {
  const tools = await mcpTools(typedClient, { dynamic: false, prefix: 'a_' })
  expectTypeOf(tools).toExtend<ToolSet>()
  expectTypeOf(tools).toExtend<ToolSet6>()
  expectTypeOf<keyof typeof tools>().toEqualTypeOf<'a_generate_report' | 'a_ping'>()
  type Parts = InferUITools<typeof tools>
  expectTypeOf<Parts['a_generate_report']['input']>().toEqualTypeOf<{ quarter: string }>()
  expectTypeOf<InferUITools6<typeof tools>['a_generate_report']['input']>().toEqualTypeOf<{ quarter: string }>()
  expectTypeOf<Parts['a_ping']['output']>().toEqualTypeOf<McpToolOutput<CallToolResult>>()
  type Output = Exclude<Parts['a_generate_report']['output'], { phase: unknown } | { isError: true }>
  expectTypeOf<Output['structuredContent']>().toEqualTypeOf<{ total: number }>()
})

test('a chat may be what useChat returns, or a Chat', () => {
  resumeToolParts({} as ReturnType<typeof useChat>, {})
  resumeToolParts({} as ReturnType<typeof useChat<UIMessage<unknown, never, { a: { input: string; output: 1 } }>>>, {})
  resumeToolParts(new Chat({}), {})
})
