// An app that declares its client, as docs/typed-tools.md has it.
import { skipToken } from '@tanstack/react-query'
import type { RegisteredTools, ToolOutput } from 'taskwire'
import { createTaskClient } from 'taskwire'
import { useSuspenseToolCall, useTaskClient, useToolCall, useToolCallMutation, useToolCalls } from 'taskwire/react'
import * as solid from 'taskwire/solid'
import * as svelte from 'taskwire/svelte'
import * as vue from 'taskwire/vue'
import { type Tools, toolsHash } from './taskwire.gen'

export const client = createTaskClient<Tools>({ url: '/mcp', toolsHash })

declare module 'taskwire' {
  interface Register {
    client: typeof client
    callMeta: { title: string; batch?: string }
  }
}

export function useTotal(quarter: 'Q1' | 'Q2' | 'Q3' | 'Q4') {
  const { data } = useToolCall({ name: 'generate_report', arguments: { quarter } })
  return data && !data.isError ? data.structuredContent.total : undefined // number | undefined
}

type Report = ToolOutput<Tools['generate_report']['structuredContent']>
/** Nothing of it is run. */
export function useEverything(): void {
  'generate_report' satisfies keyof RegisteredTools
  useToolCall({ name: 'generate_report', arguments: { quarter: 'Q1' } }).data satisfies Report | undefined
  useToolCall({ name: 'generate_report', arguments: skipToken })
  useSuspenseToolCall({ name: 'generate_report', arguments: { quarter: 'Q1' } }).data satisfies Report
  useToolCallMutation({ name: 'generate_report' }).mutate({ quarter: 'Q4' })
  useTaskClient().callTool({ name: 'generate_report', arguments: { quarter: 'Q2' } }) satisfies Promise<Report>
  // What the app notes with its calls.
  useToolCall({ name: 'generate_report', arguments: { quarter: 'Q1' }, meta: { title: 'Report of Q1' } }).call?.meta
    ?.title satisfies string | undefined
  useToolCallMutation({ name: 'generate_report', meta: ({ quarter }) => ({ title: `Report of ${quarter}` }) })
  useToolCalls({ filter: ({ meta }) => meta?.batch === 'reports' })

  // A second client takes no part in it.
  const other = createTaskClient({ url: 'https://other.example/mcp' })
  useToolCall({ client: other, name: 'anything', arguments: { at: 'all' } })

  // @ts-expect-error no such tool
  useToolCall({ name: 'generate_reprot', arguments: { quarter: 'Q1' } })
  // @ts-expect-error no such quarter
  useToolCall({ name: 'generate_report', arguments: { quarter: 'Q5' } })
  // @ts-expect-error the quarter is required
  useToolCall({ name: 'generate_report' })
  // @ts-expect-error no such quarter
  useToolCallMutation({ name: 'generate_report' }).mutate({ quarter: 'Q5' })
  // @ts-expect-error no such tool
  useTaskClient().callTool({ name: 'generate_reprot' })
  // @ts-expect-error the title is required
  useToolCall({ name: 'generate_report', arguments: { quarter: 'Q1' }, meta: { batch: 'reports' } })
}

/** The same in the other bindings. */
export function useEveryBinding(): void {
  const call = { name: 'generate_report', arguments: { quarter: 'Q1' } } as const
  vue.useToolCall(() => call).data.value satisfies Report | undefined
  svelte.useToolCall(() => call).data satisfies Report | undefined
  solid.useToolCall(() => call).data satisfies Report | undefined
  vue.useToolCallMutation({ name: 'generate_report' }).mutate({ quarter: 'Q4' })
  svelte.useToolCallMutation(() => ({ name: 'generate_report' })).mutate({ quarter: 'Q4' })
  solid.useToolCallMutation(() => ({ name: 'generate_report' })).mutate({ quarter: 'Q4' })
  const clients = [vue.useTaskClient(), svelte.useTaskClient(), solid.useTaskClient()]
  for (const client of clients)
    client.callTool({ name: 'generate_report', arguments: { quarter: 'Q2' } }) satisfies Promise<Report>

  // @ts-expect-error no such tool
  vue.useToolCall({ name: 'generate_reprot', arguments: { quarter: 'Q1' } })
  // @ts-expect-error no such quarter
  svelte.useToolCall(() => ({ name: 'generate_report', arguments: { quarter: 'Q5' } }))
  // @ts-expect-error the quarter is required
  solid.useToolCall(() => ({ name: 'generate_report' }))
}
