import { skipToken, useMutation } from '@tanstack/react-query'
import {
  type CallToolResult,
  type CheckIsErrorFirst,
  createTaskClient,
  type TaskClient,
  type ToolOutput,
} from 'taskwire'
import { mountTaskwireDevtools } from 'taskwire/devtools'
import { toolCallMutationOptions, toolCallQueryOptions } from 'taskwire/query'
import {
  useInputRequests,
  useSuspenseToolCall,
  useToolCall,
  useToolCallMutation,
  useToolCallState,
  useToolCalls,
} from 'taskwire/react'
import { createTaskServer, defineTool } from 'taskwire/server'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

interface Report {
  total: number
}
interface ReportArguments {
  quarter: 'Q1' | 'Q2' | 'Q3' | 'Q4'
  pages?: number
}
interface Tools {
  generate_report: { arguments: ReportArguments; structuredContent: Report }
  look: { arguments: { at?: string } }
  ping: { arguments: Record<string, never>; structuredContent: unknown }
}

const client = createTaskClient<Tools>({ url: '/mcp' })
const quarter = { quarter: 'Q3' } as const

describe('a client of known tools', () => {
  it('types name, arguments and result of a call', () => {
    expectTypeOf(client.callTool({ name: 'generate_report', arguments: quarter })).resolves.toEqualTypeOf<
      ToolOutput<Report>
    >()
    expectTypeOf(client.startToolCall({ name: 'look' }).result).resolves.toEqualTypeOf<CallToolResult>()
    expectTypeOf(client.callTool({ name: 'ping' })).resolves.toEqualTypeOf<CallToolResult>()
    client.toolCallId('look', 'key')
    // @ts-expect-error no such tool
    client.callTool({ name: 'lok' })
    // @ts-expect-error no such quarter
    client.callTool({ name: 'generate_report', arguments: { quarter: 'Q5' } })
    // @ts-expect-error the quarter is required
    client.callTool({ name: 'generate_report' })
    // @ts-expect-error no such argument
    client.callTool({ name: 'generate_report', arguments: { quarter: 'Q1', colour: 'red' } })
    // @ts-expect-error no such tool
    client.toolCallId('lok', 'key')
  })

  it('has its output once a tool error is ruled out', async () => {
    const result = await client.callTool({ name: 'generate_report', arguments: quarter })
    if (result.isError) expectTypeOf(result.structuredContent).toEqualTypeOf<CheckIsErrorFirst | undefined>()
    else expectTypeOf(result.structuredContent.total).toEqualTypeOf<number>()
  })

  it('[EDGE-42] says to check isError where the output is read before, by the name of a type', async () => {
    const { structuredContent } = await client.callTool({ name: 'generate_report', arguments: quarter })
    expectTypeOf(structuredContent).toEqualTypeOf<Report | CheckIsErrorFirst | undefined>()
    // @ts-expect-error Property 'total' does not exist on type 'CheckIsErrorFirst'.
    structuredContent?.total
    const checked: unknown = structuredContent
    expectTypeOf(checked).toBeUnknown()
  })

  it('goes where any client goes', () => {
    mountTaskwireDevtools(client)
    expectTypeOf(client).toExtend<TaskClient>()
    useToolCalls({ clients: [client, createTaskClient({ url: '/other' })] })
    useInputRequests({ clients: [client, createTaskClient({ url: '/other' })] })
    useToolCallState({ callId: 'a', client })
  })

  it('types the hooks that are given it', () => {
    const report = useToolCall({ client, name: 'generate_report', arguments: quarter })
    expectTypeOf(report.data).toEqualTypeOf<ToolOutput<Report> | undefined>()
    useToolCall({ client, name: 'generate_report', arguments: skipToken })
    expectTypeOf(useSuspenseToolCall({ client, name: 'look' }).data).toEqualTypeOf<CallToolResult>()
    const button = useToolCallMutation({ client, name: 'generate_report' })
    button.mutate(quarter)
    // @ts-expect-error the quarter is required
    button.mutate()
    useToolCallMutation({ client, name: 'look' }).mutate()
    // @ts-expect-error no such tool
    useToolCall({ client, name: 'lok' })
    // @ts-expect-error the quarter is required
    useToolCall({ client, name: 'generate_report' })
  })

  it('types what select makes of the result', () => {
    const total = useToolCall({
      client,
      name: 'generate_report',
      arguments: quarter,
      query: { select: (data) => (data.isError ? undefined : data.structuredContent.total) },
    })
    expectTypeOf(total.data).toEqualTypeOf<number | undefined>()
    const options = toolCallQueryOptions(client, {
      name: 'generate_report',
      arguments: quarter,
      query: { select: (data) => data.content.length },
    })
    expectTypeOf(options.select).toEqualTypeOf<((data: ToolOutput<Report>) => number) | undefined>()
  })

  it('types the options for every binding', () => {
    const query = toolCallQueryOptions(client, { name: 'generate_report', arguments: quarter })
    expectTypeOf(query.queryFn).returns.resolves.toEqualTypeOf<ToolOutput<Report>>()
    const mutation = useMutation(toolCallMutationOptions(client, { name: 'generate_report' }))
    expectTypeOf(mutation.data).toEqualTypeOf<ToolOutput<Report> | undefined>()
    mutation.mutate(quarter)
    // @ts-expect-error no such quarter
    mutation.mutate({ quarter: 'Q5' })
  })

  it('lets an output schema of the app go first', () => {
    const { data } = useToolCall({ client, name: 'look', outputSchema: z.object({ seen: z.boolean() }) })
    expectTypeOf(data).toEqualTypeOf<ToolOutput<{ seen: boolean }> | undefined>()
  })
})

describe('a client of a server in the same repository', () => {
  const server = createTaskServer({
    serverInfo: { name: 'reports', version: '1.0.0' },
    tools: [
      defineTool({
        name: 'generate_report',
        inputSchema: z.object({ quarter: z.enum(['Q1', 'Q2']), pages: z.number().default(1) }),
        outputSchema: z.object({ total: z.number() }),
        taskSupport: 'optional',
        handler: ({ pages }) => ({ content: [], structuredContent: { total: pages } }),
      }),
      defineTool({
        name: 'look',
        inputSchema: z.object({}),
        taskSupport: 'forbidden',
        handler: () => ({ content: [] }),
      }),
    ],
  })
  const shared = createTaskClient<typeof server>({ url: '/mcp' })

  it('knows its tools by their schemas', () => {
    expectTypeOf(shared.callTool({ name: 'generate_report', arguments: { quarter: 'Q1' } })).resolves.toEqualTypeOf<
      ToolOutput<{ total: number }>
    >()
    expectTypeOf(shared.callTool({ name: 'look' })).resolves.toEqualTypeOf<CallToolResult>()
    // @ts-expect-error no such quarter
    shared.callTool({ name: 'generate_report', arguments: { quarter: 'Q3' } })
  })
})

describe('a client of unknown tools', () => {
  const any = createTaskClient({ url: '/mcp' })

  it('takes any name, and any object or interface as arguments', () => {
    const args: ReportArguments = quarter
    expectTypeOf(any.callTool({ name: 'x', arguments: args })).resolves.toEqualTypeOf<CallToolResult>()
    useToolCall({ name: 'x', arguments: args })
    useToolCallMutation({ name: 'x' }).mutate(args)
    // @ts-expect-error arguments are an object
    any.callTool({ name: 'x', arguments: 'Q3' })
  })
})
