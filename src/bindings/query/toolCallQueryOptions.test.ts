import { QueryClient, QueryObserver } from '@tanstack/query-core'
import type { TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createWorkServer } from '../../../test/support/workServer.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { createTaskClient } from '../../sdk/createTaskClient.js'
import { type ToolCallQueryParameter, toolCallQueryOptions } from './toolCallQueryOptions.js'

let server: TestServer
let client: TaskClient
let queryClient: QueryClient

beforeEach(() => {
  server = createWorkServer()
  client = createTaskClient({ url: server.url, environment: server.browser.openPage().environment })
  queryClient = new QueryClient()
})

const options = (outcome: 'success' | 'failure', query?: ToolCallQueryParameter<never>) =>
  toolCallQueryOptions(client, { name: 'work', arguments: { seconds: 1, outcome }, query: query as never })

function observe(outcome: 'success' | 'failure') {
  const observer = new QueryObserver(queryClient, options(outcome))
  return { observer, unsubscribe: observer.subscribe(() => {}) }
}

const outcomes = ['success', 'failure'] as const

describe.each(outcomes)('a query whose call ended in %s', (outcome) => {
  it.each([
    ['invalidateQueries()', () => queryClient.invalidateQueries()],
    ["invalidateQueries({ refetchType: 'all' })", () => queryClient.invalidateQueries({ refetchType: 'all' })],
    ['refetchQueries()', () => queryClient.refetchQueries()],
    ['resetQueries()', () => queryClient.resetQueries()],
  ])('is not repeated by %s, observed or not', async (_, disturb) => {
    const { observer, unsubscribe } = observe(outcome)
    await server.advance(3000)
    void disturb()
    await server.advance(3000)
    unsubscribe()
    void disturb()
    await server.advance(3000)
    expect(server.count('tools/call')).toBe(1)
    expect(observer.getCurrentResult().status).toBe(outcome === 'success' ? 'success' : 'error')
  })

  it('is not repeated by a fetch that nobody observes', async () => {
    const first = queryClient.prefetchQuery(options(outcome))
    await server.advance(3000)
    await first
    await queryClient.prefetchQuery(options(outcome))
    await server.advance(3000)
    expect(server.count('tools/call')).toBe(1)
  })

  it.each([
    ['prefetchQuery()', () => queryClient.prefetchQuery(options(outcome))],
    ['fetchQuery()', () => queryClient.fetchQuery(options(outcome))],
    ['ensureQueryData()', () => queryClient.ensureQueryData(options(outcome))],
  ])('is not repeated by %s while it is shown, but by refetch() afterwards', async (_, fetch) => {
    const { observer } = observe(outcome)
    await server.advance(3000)
    const fetched = Promise.allSettled([fetch()])
    await server.advance(3000)
    await fetched
    expect(server.count('tools/call')).toBe(1)
    void observer.refetch()
    await server.advance(3000)
    expect(server.count('tools/call')).toBe(2)
  })

  it('is not repeated by an observer that comes back to it', async () => {
    const { observer } = observe(outcome)
    await server.advance(3000)
    observer.setOptions(toolCallQueryOptions(client, { name: 'echo', arguments: { text: 'hi' } }) as never)
    await server.advance(3000)
    observer.setOptions(options(outcome))
    await server.advance(3000)
    expect(server.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(2)
  })

  it('is repeated by refetch(), once however often', async () => {
    const { observer } = observe(outcome)
    await server.advance(3000)
    void queryClient.invalidateQueries()
    await server.advance(100)
    void observer.refetch()
    await server.advance(100)
    void observer.refetch()
    await server.advance(3000)
    expect(server.count('tools/call')).toBe(2)
    expect(observer.getCurrentResult()).toMatchObject({ fetchStatus: 'idle' })
  })

  it('keeps what a refetch() brings when nobody waits for it any more', async () => {
    const { observer, unsubscribe } = observe(outcome)
    await server.advance(3000)
    const { dataUpdateCount, errorUpdateCount } = observer.getCurrentQuery().state
    void observer.refetch()
    await server.advance(100)
    unsubscribe()
    await server.advance(3000)
    const { state } = observer.getCurrentQuery()
    expect(state.dataUpdateCount + state.errorUpdateCount).toBe(dataUpdateCount + errorUpdateCount + 1)
    expect(state).toMatchObject({ fetchStatus: 'idle', status: outcome === 'success' ? 'success' : 'error' })
  })
})

describe('enabled', () => {
  it.each([false, () => false])('as given still holds the call back', async (enabled) => {
    new QueryObserver(queryClient, options('success', { enabled })).subscribe(() => {})
    await server.advance(3000)
    expect(server.requests).toEqual([])
  })
})
