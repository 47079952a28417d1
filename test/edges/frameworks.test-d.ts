import * as react from '@tanstack/react-query'
import * as solid from '@tanstack/solid-query'
import * as svelte from '@tanstack/svelte-query'
import * as vue from '@tanstack/vue-query'
import type { CallToolResult, TaskClient, ToolOutput } from 'taskwire'
import { toolCallQueryOptions } from 'taskwire/query'
import { expectTypeOf, it } from 'vitest'
import { computed } from 'vue'
import { z } from 'zod'

declare const client: TaskClient

const call = () => toolCallQueryOptions(client, { name: 'x', arguments: { seconds: 1 } })
const typed = () => toolCallQueryOptions(client, { name: 'x', outputSchema: z.object({ total: z.number() }) })
const skipped = (isReady: boolean) =>
  toolCallQueryOptions(client, { name: 'x', arguments: isReady ? { seconds: 1 } : react.skipToken })

type Pending = CallToolResult | undefined
type Typed = ToolOutput<{ total: number }>

it('[EDGE-24] the options fit useQuery and the cache of vue-query', () => {
  expectTypeOf(vue.useQuery(call()).data.value).toExtend<Pending>()
  expectTypeOf(vue.useQuery(call).data.value).toExtend<Pending>()
  expectTypeOf(vue.useQuery(computed(call)).data.value).toExtend<Pending>()
  expectTypeOf(vue.useQuery(typed()).data.value).toExtend<Typed | undefined>()
  expectTypeOf(vue.useQuery(() => skipped(true)).error.value).toExtend<Error | null>()
  expectTypeOf(new vue.QueryClient().fetchQuery(call())).resolves.toEqualTypeOf<CallToolResult>()
  // @ts-expect-error a result is no string
  vue.useQuery(call()).data.value satisfies string
})

it('[EDGE-24] the options fit createQuery of svelte-query', () => {
  expectTypeOf(svelte.createQuery(call).data).toEqualTypeOf<Pending>()
  expectTypeOf(svelte.createQuery(typed).data).toEqualTypeOf<Typed | undefined>()
  expectTypeOf(new svelte.QueryClient().fetchQuery(call())).resolves.toEqualTypeOf<CallToolResult>()
})

it('[EDGE-24] the options fit useQuery of solid-query', () => {
  expectTypeOf(solid.useQuery(call).data).toEqualTypeOf<Pending>()
  expectTypeOf(solid.useQuery(typed).data).toEqualTypeOf<Typed | undefined>()
  expectTypeOf(new solid.QueryClient().fetchQuery(call())).resolves.toEqualTypeOf<CallToolResult>()
})

it('[EDGE-24] the options fit react-query, also where nothing may be skipped', () => {
  expectTypeOf(react.useQuery(call()).data).toEqualTypeOf<Pending>()
  expectTypeOf(react.useQuery(skipped(true)).data).toEqualTypeOf<Pending>()
  expectTypeOf(react.useSuspenseQuery(call()).data).toEqualTypeOf<CallToolResult>()
  expectTypeOf(react.useSuspenseQuery(typed()).data).toEqualTypeOf<Typed>()
  expectTypeOf(react.useQueries({ queries: [call()] })[0].data).toEqualTypeOf<Pending>()
  // @ts-expect-error a query that suspends cannot be skipped
  react.useSuspenseQuery(skipped(true))
})

it('[EDGE-24] query.enabled is what TanStack Query takes, a getter among it', () => {
  toolCallQueryOptions(client, { name: 'x', query: { enabled: () => false } })
  toolCallQueryOptions(client, { name: 'x', query: { enabled: (query) => query.state.dataUpdateCount === 0 } })
  // @ts-expect-error no boolean
  toolCallQueryOptions(client, { name: 'x', query: { enabled: 'yes' } })
})
