import * as solidQuery from '@tanstack/solid-query'
import * as svelteQuery from '@tanstack/svelte-query'
import * as vueQuery from '@tanstack/vue-query'
import type { JSX } from 'solid-js'
import type { HTMLInputAttributes } from 'svelte/elements'
import { type CallToolResult, createTaskClient, type ToolCallState, type ToolOutput } from 'taskwire'
import type { ElicitationField, ElicitationSource } from 'taskwire/forms'
import type * as react from 'taskwire/react'
import * as solid from 'taskwire/solid'
import * as svelte from 'taskwire/svelte'
import * as vue from 'taskwire/vue'
import { describe, expectTypeOf, it } from 'vitest'
import { computed, type InputHTMLAttributes, ref } from 'vue'
import { z } from 'zod'

interface Report {
  total: number
}
interface Tools {
  generate_report: { arguments: { quarter: 'Q1' | 'Q2' }; structuredContent: Report }
  look: { arguments: { at?: string } }
}

const client = createTaskClient<Tools>({ url: '/mcp' })
const report = { client, name: 'generate_report', arguments: { quarter: 'Q1' } } as const
const other = createTaskClient({ url: '/other' })

describe('taskwire/vue', () => {
  it('types name, arguments and result of a call, as options, a ref or a getter', () => {
    type Data = ToolOutput<Report> | undefined
    expectTypeOf(vue.useToolCall(report).data.value).toExtend<Data>()
    expectTypeOf(vue.useToolCall(() => report).data.value).toExtend<Data>()
    expectTypeOf(vue.useToolCall(computed(() => report)).data.value).toExtend<Data>()
    expectTypeOf(vue.useToolCall(ref(report)).error.value).toExtend<Error | null>()
    expectTypeOf(vue.useToolCall(report).call.value).toEqualTypeOf<ToolCallState | undefined>()
    expectTypeOf(vue.useToolCall(report).retry).toEqualTypeOf<() => void>()
    vue.useToolCall({ client, name: 'generate_report', arguments: vueQuery.skipToken })
    vue.useToolCall(() => ({ client, name: 'look' }))
    expectTypeOf(
      vue.useToolCall({ client: other, name: 'x', outputSchema: z.object({ total: z.number() }) }).data.value,
    ).toExtend<Data>()
    expectTypeOf(
      vue.useToolCall(() => ({ ...report, query: { select: (data: ToolOutput<Report>) => data.content.length } })).data
        .value,
    ).toEqualTypeOf<number | undefined>()
    // @ts-expect-error no such tool
    vue.useToolCall({ client, name: 'lok' })
    // @ts-expect-error no such quarter
    vue.useToolCall(() => ({ client, name: 'generate_report', arguments: { quarter: 'Q5' } }))
    // @ts-expect-error the quarter is required
    vue.useToolCall({ client, name: 'generate_report' })
    // @ts-expect-error a result is no string
    vue.useToolCall(report).data.value satisfies string | undefined
  })

  it('types the variables of a mutation', () => {
    const button = vue.useToolCallMutation({ client, name: 'generate_report' })
    button.mutate({ quarter: 'Q2' })
    expectTypeOf(button.data.value).toExtend<ToolOutput<Report> | undefined>()
    vue.useToolCallMutation(() => ({ client, name: 'look' })).mutate()
    // @ts-expect-error the quarter is required
    button.mutate()
    vue.useToolCalls({ clients: [client, other] })
    vue.useInputRequests(() => ({ clients: [client, other] }))
    vue.useToolCallState({ callId: 'a', client })
    vue.provideTaskClient(client)
  })
})

describe('taskwire/svelte', () => {
  it('types name, arguments and result of a call', () => {
    expectTypeOf(svelte.useToolCall(() => report).data).toEqualTypeOf<ToolOutput<Report> | undefined>()
    expectTypeOf(svelte.useToolCall(() => ({ client, name: 'look' })).data).toEqualTypeOf<CallToolResult | undefined>()
    expectTypeOf(svelte.useToolCall(() => report).call).toEqualTypeOf<ToolCallState | undefined>()
    svelte.useToolCall(() => ({ client, name: 'generate_report', arguments: svelteQuery.skipToken }))
    // @ts-expect-error no such tool
    svelte.useToolCall(() => ({ client, name: 'lok' }))
    // @ts-expect-error no such quarter
    svelte.useToolCall(() => ({ client, name: 'generate_report', arguments: { quarter: 'Q5' } }))
    // @ts-expect-error options are a function, as those of createQuery
    svelte.useToolCall(report)
  })

  it('types the variables of a mutation', () => {
    const button = svelte.useToolCallMutation(() => ({ client, name: 'generate_report' }))
    button.mutate({ quarter: 'Q2' })
    expectTypeOf(button.data).toEqualTypeOf<ToolOutput<Report> | undefined>()
    // @ts-expect-error the quarter is required
    button.mutate()
    svelte.useToolCalls(() => ({ clients: [client, other] })).current satisfies readonly ToolCallState[]
    svelte.setTaskClient(client)
  })
})

describe('taskwire/solid', () => {
  it('types name, arguments and result of a call', () => {
    expectTypeOf(solid.useToolCall(() => report).data).toEqualTypeOf<ToolOutput<Report> | undefined>()
    expectTypeOf(solid.useToolCall(() => ({ client, name: 'look' })).data).toEqualTypeOf<CallToolResult | undefined>()
    expectTypeOf(solid.useToolCall(() => report).call).toEqualTypeOf<ToolCallState | undefined>()
    solid.useToolCall(() => ({ client, name: 'generate_report', arguments: solidQuery.skipToken }))
    // @ts-expect-error no such tool
    solid.useToolCall(() => ({ client, name: 'lok' }))
    // @ts-expect-error no such quarter
    solid.useToolCall(() => ({ client, name: 'generate_report', arguments: { quarter: 'Q5' } }))
    // @ts-expect-error options are an accessor, as those of useQuery
    solid.useToolCall(report)
  })

  it('types the variables of a mutation', () => {
    const button = solid.useToolCallMutation(() => ({ client, name: 'generate_report' }))
    button.mutate({ quarter: 'Q2' })
    expectTypeOf(button.data).toEqualTypeOf<ToolOutput<Report> | undefined>()
    // @ts-expect-error the quarter is required
    button.mutate()
    solid.useToolCalls(() => ({ clients: [client, other] }))() satisfies readonly ToolCallState[]
    solid.TaskClientProvider({ client })
  })
})

describe('useElicitationForm', () => {
  const source = {} as ElicitationSource

  it('takes what useInputRequests lists', () => {
    vue.useElicitationForm(() => vue.useInputRequests().value[0] ?? source, { drafts: 'session' })
    svelte.useElicitationForm(() => svelte.useInputRequests().current[0] ?? source)
    solid.useElicitationForm(() => solid.useInputRequests()()[0] ?? source)
    // @ts-expect-error the request is a function, as the options of the others
    solid.useElicitationForm(source)
    // @ts-expect-error the ids are those of the framework
    svelte.useElicitationForm(() => source, { id: 'a' })
  })

  it('has refs in Vue, members in Svelte and Solid', () => {
    expectTypeOf(vue.useElicitationForm(source).fields.value).toEqualTypeOf<readonly ElicitationField[]>()
    expectTypeOf(svelte.useElicitationForm(() => source).fields).toEqualTypeOf<readonly ElicitationField[]>()
    expectTypeOf(solid.useElicitationForm(() => source).canSubmit).toEqualTypeOf<boolean>()
  })

  it('has props that fit the controls of the framework', () => {
    const field = {} as Exclude<ElicitationField, { kind: 'choices' | 'unsupported' }>
    expectTypeOf(vue.useElicitationForm(source).inputProps(field)).toExtend<InputHTMLAttributes>()
    expectTypeOf(svelte.useElicitationForm(() => source).inputProps(field)).toExtend<HTMLInputAttributes>()
    expectTypeOf(solid.useElicitationForm(() => source).inputProps(field)).toExtend<
      JSX.InputHTMLAttributes<HTMLInputElement>
    >()
  })

  it('has props for the controls that a field has, and for no others', () => {
    const form = {} as solid.UseElicitationFormResult & react.UseElicitationFormResult
    const field = {} as ElicitationField
    if (field.kind === 'choices') {
      // @ts-expect-error one control cannot say which options are chosen
      form.inputProps(field)
      for (const option of field.options) form.optionProps(field, option)
    } else if (field.kind === 'unsupported') {
      // @ts-expect-error there is nothing to fill in
      form.inputProps(field)
    } else {
      form.inputProps(field)
    }
    // @ts-expect-error a field of any kind
    form.inputProps(field)
  })
})
