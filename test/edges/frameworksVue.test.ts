// @vitest-environment jsdom
import { focusManager, notifyManager, onlineManager, QueryClient, useQuery, VueQueryPlugin } from '@tanstack/vue-query'
import { createTaskClient, type TaskClient, TaskFailedError } from 'taskwire'
import { type ToolCallQueryParameter, toolCallQueryOptions } from 'taskwire/query'
import type { TestServer } from 'taskwire/testing'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type App, createApp, defineComponent, h, nextTick, reactive, ref } from 'vue'
import { createWorkServer } from '../support/workServer.js'

// vue-query tells components by a timer of the machine, which no simulated clock moves.
beforeAll(() => notifyManager.setScheduler(queueMicrotask))

let server: TestServer
let client: TaskClient
let queryClient: QueryClient
let app: App | undefined

beforeEach(() => {
  server = createWorkServer()
  client = createTaskClient({ url: server.url, environment: server.environment })
  queryClient = new QueryClient()
})

afterEach(() => app?.unmount())

type Query = ReturnType<typeof useQuery>

/** Mounts a component with this `setup`; it shows the status of its query. */
function mount(setup: () => Pick<Query, 'status'>): HTMLElement {
  const root = document.createElement('div')
  const Component = defineComponent(() => {
    const { status } = setup()
    return () => h('p', status.value)
  })
  app = createApp(Component)
  app.use(VueQueryPlugin, { queryClient }).mount(root)
  return root
}

const call = (outcome: 'success' | 'failure' = 'success', query?: ToolCallQueryParameter<never>) =>
  toolCallQueryOptions(client, { name: 'work', arguments: { seconds: 1, outcome }, query: query as never })

/** Everything that has TanStack Query fetch by itself, and the mounting of one more component. */
async function disturb(): Promise<void> {
  focusManager.setFocused(false)
  focusManager.setFocused(true)
  onlineManager.setOnline(false)
  onlineManager.setOnline(true)
  void queryClient.invalidateQueries()
  void queryClient.refetchQueries()
  await server.advance(3000)
  focusManager.setFocused(undefined)
}

describe('useQuery of vue-query', () => {
  it.each(['success', 'failure'] as const)(
    '[EDGE-24] runs a tool once that ends in %s, whatever has queries fetched again',
    async (outcome) => {
      const status = outcome === 'success' ? 'success' : 'error'
      const page = mount(() => useQuery(call(outcome)))
      expect(page.textContent).toBe('pending')
      await server.advance(3000)
      expect(page.textContent).toBe(status)
      await disturb()
      app?.unmount()
      const next = mount(() => useQuery(call(outcome)))
      await disturb()
      expect(next.textContent).toBe(status)
      expect(server.count('tools/call')).toBe(1)
    },
  )

  it.each(['success', 'failure'] as const)('[EDGE-24] runs the tool again by refetch() after a %s', async (outcome) => {
    let query: Query | undefined
    mount(() => {
      query = useQuery(call(outcome))
      return query
    })
    await server.advance(3000)
    void query?.refetch()
    await server.advance(3000)
    expect(server.count('tools/call')).toBe(2)
    expect(query?.fetchStatus.value).toBe('idle')
  })

  it('[EDGE-24] takes the options from a getter, and calls for new arguments', async () => {
    const seconds = ref(1)
    const page = mount(() =>
      useQuery(() => toolCallQueryOptions(client, { name: 'work', arguments: { seconds: seconds.value } })),
    )
    await server.advance(3000)
    expect(page.textContent).toBe('success')
    seconds.value = 2
    await nextTick()
    expect(page.textContent).toBe('pending')
    await server.advance(4000)
    expect(page.textContent).toBe('success')
    expect(server.requests.filter(({ method }) => method === 'tools/call').map(({ params }) => params)).toMatchObject([
      { arguments: { seconds: 1 } },
      { arguments: { seconds: 2 } },
    ])
  })

  it.each([
    ['a getter', (flag: { value: boolean }) => () => flag.value],
    [
      'a function of the query',
      (flag: { value: boolean }) =>
        ({ state }: { state: object }) =>
          'status' in state && flag.value,
    ],
  ])('[EDGE-24] holds a call back by enabled, given as %s', async (_, enabled) => {
    mount(() => useQuery(call('success', { enabled: enabled({ value: false }) })))
    await server.advance(3000)
    expect(server.requests).toEqual([])
  })

  it('[EDGE-24] makes the call once the getter in enabled says so', async () => {
    const isWanted = ref(false)
    mount(() => useQuery(call('success', { enabled: () => isWanted.value })))
    await server.advance(1000)
    isWanted.value = true
    await nextTick()
    await server.advance(3000)
    expect(server.count('tools/call')).toBe(1)
  })

  it('[EDGE-24] shows errors and results as what they are, from a client in reactive state too', async () => {
    const state = reactive({ client })
    const queries: Query[] = []
    const use = (outcome: string) => {
      const query = useQuery(
        toolCallQueryOptions(state.client, { name: 'work', arguments: reactive({ seconds: 1, outcome }) }),
      )
      queries.push(query)
      return query
    }
    mount(() => {
      use('failure')
      return use('success')
    })
    await server.advance(3000)
    const [failure, success] = queries
    expect(failure?.error.value).toBeInstanceOf(TaskFailedError)
    expect(success?.data.value).toMatchObject({ structuredContent: { seconds: 1 } })
    // What stands in the cache is plain, no proxy of Vue.
    const data = queryClient.getQueryData(call().queryKey)
    expect(structuredClone(data)).toEqual(data)
  })

  it('[EDGE-24] takes the call up that is running when a component goes and another one comes', async () => {
    mount(() => useQuery(call()))
    await server.advance(500)
    app?.unmount()
    const page = mount(() => useQuery(call()))
    await server.advance(3000)
    expect(page.textContent).toBe('success')
    expect(server.count('tools/call')).toBe(1)
  })
})
