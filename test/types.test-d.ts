import type { CallToolResult as SdkCallToolResult } from '@modelcontextprotocol/client'
import { QueryClient, skipToken } from '@tanstack/react-query'
import {
  type CallToolResult,
  type CheckIsErrorFirst,
  createTaskClient,
  type InputResponseState,
  type TaskClient,
  type ToolCallState,
  withTasks,
} from 'taskwire'
import type { TaskwireDevtoolsPlugin } from 'taskwire/devtools'
import { toolCallQueryOptions } from 'taskwire/query'
import { useInputRequests, useSuspenseToolCall, useToolCall, useToolCallMutation, useToolCalls } from 'taskwire/react'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

declare const client: TaskClient
const Report = z.object({ total: z.number() })

describe('results', () => {
  it('are those of the SDK', () => {
    expectTypeOf<SdkCallToolResult>().toExtend<CallToolResult>()
    expectTypeOf(client.callTool({ name: 'x' })).resolves.toEqualTypeOf<CallToolResult>()
  })

  it('have the output of the schema, once a tool error is ruled out', () => {
    const { data } = useToolCall({ name: 'x', outputSchema: Report })
    if (data === undefined) return
    if (data.isError) expectTypeOf(data.structuredContent).toEqualTypeOf<CheckIsErrorFirst | undefined>()
    else expectTypeOf(data.structuredContent).toEqualTypeOf<{ total: number }>()
  })

  it('are always there where the hook suspends', () => {
    expectTypeOf(useSuspenseToolCall({ name: 'x' }).data).toEqualTypeOf<CallToolResult>()
    expectTypeOf(useToolCall({ name: 'x' }).data).toEqualTypeOf<CallToolResult | undefined>()
  })

  it('carry over to the cache of the query client', () => {
    const { queryKey } = toolCallQueryOptions(client, { name: 'x' })
    expectTypeOf(new QueryClient().getQueryData(queryKey)).toEqualTypeOf<CallToolResult | undefined>()
    expectTypeOf(
      new QueryClient().fetchQuery(toolCallQueryOptions(client, { name: 'x' })),
    ).resolves.toEqualTypeOf<CallToolResult>()
  })
})

describe('hooks', () => {
  it('show the call and its input requests', () => {
    const result = useToolCall({ name: 'x', arguments: skipToken })
    expectTypeOf(result.call).toEqualTypeOf<ToolCallState | undefined>()
    expectTypeOf(result.retry).toEqualTypeOf<() => void>()
    expectTypeOf(useSuspenseToolCall({ name: 'x' }).retry).toEqualTypeOf<() => void>()
    expectTypeOf(useInputRequests()[0]?.callId).toEqualTypeOf<string | undefined>()
    expectTypeOf(useInputRequests()[0]?.response).toEqualTypeOf<InputResponseState | undefined>()
    expectTypeOf(useToolCalls({ filter: (call) => call.phase === 'failed' })).toEqualTypeOf<readonly ToolCallState[]>()
  })

  it('refuse what makes no sense', () => {
    // @ts-expect-error a call has a tool
    useToolCall({ arguments: {} })
    // @ts-expect-error the key belongs to the call, not to the query
    useToolCall({ name: 'x', query: { queryKey: ['mine'] } })
    // @ts-expect-error a call that is made without condition cannot be skipped
    useSuspenseToolCall({ name: 'x', arguments: skipToken })
    // @ts-expect-error arguments are an object
    useToolCallMutation({ name: 'x' }).mutate('now')
    useToolCallMutation({ name: 'x' }).mutate({ anything: 1 })
  })
})

describe('createTaskClient', () => {
  it('needs a server', () => {
    createTaskClient({ url: '/mcp' })
    // @ts-expect-error neither url nor client
    createTaskClient({ scope: 'me' })
    // @ts-expect-error no such storage
    createTaskClient({ url: '/mcp', storage: 'cookies' })
    // @ts-expect-error a transport, not a URL
    withTasks('https://example.com/mcp')
  })

  it('shows state that cannot be written to', () => {
    const state = client.store.getState()
    // @ts-expect-error read-only
    state.connection.status = 'connected'
  })
})

it('the plugin for TanStack Devtools is one for React, which wants an element, and for others, which want nothing', () => {
  type Render<TResult> = (element: HTMLDivElement, props: { theme: 'dark' | 'light'; devtoolsOpen: boolean }) => TResult
  expectTypeOf<TaskwireDevtoolsPlugin['render']>().toExtend<Render<React.JSX.Element>>()
  expectTypeOf<TaskwireDevtoolsPlugin['render']>().toExtend<Render<void>>()
})
