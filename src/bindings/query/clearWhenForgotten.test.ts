import { dehydrate, hydrate, MutationObserver, QueryClient, QueryObserver } from '@tanstack/query-core'
import type { TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { untilCollected } from '../../../test/support/untilCollected.js'
import { createWorkServer } from '../../../test/support/workServer.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { createTaskClient } from '../../sdk/createTaskClient.js'
import { toolCallMutationOptions } from './toolCallMutationOptions.js'
import { toolCallQueryOptions } from './toolCallQueryOptions.js'

let server: TestServer
let client: TaskClient
let queryClient: QueryClient

beforeEach(() => {
  server = createWorkServer()
  client = openTab()
  queryClient = new QueryClient()
})

const openTab = () => createTaskClient({ url: server.url, environment: server.browser.openPage().environment })
const optionsOf = (seconds: number) => toolCallQueryOptions(client, { name: 'work', arguments: { seconds } })
const made = () => server.count('tools/call')
const queries = () => queryClient.getQueryCache().getAll()
const mutations = () => queryClient.getMutationCache().getAll()

describe('forget() with any binding of TanStack Query', () => {
  it('[EDGE-28] resets a query that is observed, and removes one that is not', async () => {
    const observer = new QueryObserver(queryClient, optionsOf(1))
    const unsubscribe = observer.subscribe(() => {})
    const prefetched = queryClient.prefetchQuery(optionsOf(2))
    await server.advance(5000)
    await prefetched
    await client.forget()
    expect(observer.getCurrentResult()).toMatchObject({ status: 'pending', fetchStatus: 'idle', data: undefined })
    expect(queries()).toHaveLength(1)
    await queryClient.invalidateQueries()
    await server.advance(5000)
    expect(made()).toBe(2)
    unsubscribe()
  })

  it('[EDGE-28] removes mutations, with a key and without', async () => {
    for (const key of ['weekly', undefined]) {
      const mutation = new MutationObserver(queryClient, toolCallMutationOptions(client, { name: 'work', key }))
      void mutation.mutate({ seconds: 1 })
    }
    await server.advance(5000)
    expect(mutations()).toHaveLength(2)
    await client.forget()
    expect(mutations()).toEqual([])
  })

  it('[EDGE-28] cannot empty a mutation that is observed: reset() does, and one that is observed later is empty', async () => {
    const options = toolCallMutationOptions(client, { name: 'work', key: 'weekly' })
    const mutation = new MutationObserver(queryClient, options)
    const stop = mutation.subscribe(() => {})
    void mutation.mutate({ seconds: 1 })
    await server.advance(5000)
    await client.forget()
    // docs/sign-in.md says so. TanStack Query has no method that resets a mutation but that of its observer.
    expect(mutation.getCurrentResult().status).toBe('success')
    expect(new MutationObserver(queryClient, options).getCurrentResult()).toMatchObject({ status: 'idle' })
    mutation.reset()
    expect(mutation.getCurrentResult()).toMatchObject({ status: 'idle', data: undefined })
    stop()
  })

  it('[EDGE-28] leaves the queries of other clients, and those of the app, alone', async () => {
    const other = createTaskClient({
      url: server.url,
      scope: 'other',
      environment: server.browser.openPage().environment,
    })
    const fetched = [
      queryClient.prefetchQuery(toolCallQueryOptions(other, { name: 'work', arguments: { seconds: 1 } })),
      queryClient.prefetchQuery(optionsOf(1)),
    ]
    queryClient.setQueryData(['app'], 'kept')
    await server.advance(5000)
    await Promise.all(fetched)
    await client.forget()
    expect(queries().map(({ queryKey }) => queryKey[1])).toEqual([other.id, undefined])
  })

  it('[EDGE-28] leaves what the app keeps below the keys of a client alone, and clears all that is of calls', async () => {
    const ofApp = [
      ['taskwire', client.id],
      ['taskwire', client.id, 'notes'],
      ['taskwire', client.id, 'tools/call', 'work', null],
    ]
    for (const queryKey of ofApp) queryClient.setQueryData(queryKey, 'kept')
    const fetched = queryClient.prefetchQuery(optionsOf(1))
    void new MutationObserver(queryClient, toolCallMutationOptions(client, { name: 'work' })).mutate({ seconds: 1 })
    await server.advance(5000)
    await fetched
    await client.forget()
    expect(queries().map(({ queryKey }) => queryKey)).toEqual(ofApp)
    expect(mutations()).toEqual([])
  })

  it('[EDGE-28] removes queries that a tab has in its cache alone', async () => {
    const fetched = queryClient.prefetchQuery(optionsOf(1))
    await server.advance(5000)
    await fetched
    void openTab().forget()
    await server.advance(1000)
    expect(queries()).toEqual([])
  })

  it('[EDGE-28] removes a query that was brought back from a storage, once one of this client was fetched', async () => {
    const fetched = queryClient.prefetchQuery(optionsOf(1))
    await server.advance(5000)
    await fetched
    const stored = dehydrate(queryClient)
    client = openTab()
    queryClient = new QueryClient()
    hydrate(queryClient, stored)
    const other = queryClient.prefetchQuery(optionsOf(2))
    await server.advance(5000)
    await other
    expect(queries()).toHaveLength(2)
    await client.forget()
    expect(queries()).toEqual([])
  })

  it('[EDGE-28] resets a query that is observed, also where the app has taken it out of its cache', async () => {
    const observer = new QueryObserver(queryClient, optionsOf(1))
    const unsubscribe = observer.subscribe(() => {})
    await server.advance(5000)
    queryClient.clear()
    await client.forget()
    expect(observer.getCurrentResult()).toMatchObject({ status: 'pending', fetchStatus: 'idle', data: undefined })
    observer.setOptions({ ...optionsOf(1), gcTime: 1000 })
    await server.advance(5000)
    expect(observer.getCurrentResult()).toMatchObject({ status: 'pending', fetchStatus: 'idle', data: undefined })
    expect(made()).toBe(1)
    unsubscribe()
    await server.advance(1000)
    const again = queryClient.fetchQuery(optionsOf(1))
    await server.advance(5000)
    expect((await again).structuredContent).toEqual({ seconds: 1 })
    expect(made()).toBe(2)
  })

  it('[EDGE-28] removes a query that was brought back from a storage after the app had cleared its cache', async () => {
    const fetched = queryClient.prefetchQuery(optionsOf(1))
    await server.advance(5000)
    await fetched
    const stored = dehydrate(queryClient)
    queryClient.clear()
    hydrate(queryClient, stored)
    expect(queries()).toHaveLength(1)
    await client.forget()
    expect(queries()).toEqual([])
  })

  it('listens once for a query client, and keeps neither that nor the client in memory', async () => {
    const listen = vi.spyOn(client, 'onForgotten')
    const collected = async (of: 'client' | 'queryClient') => {
      const one = { client: openTab(), queryClient: new QueryClient() }
      const other = { client, queryClient, [of]: one[of] }
      for (const seconds of [1, 2]) {
        const options = toolCallQueryOptions(other.client, { name: 'work', arguments: { seconds } })
        const prefetched = other.queryClient.prefetchQuery(options)
        await server.advance(5000)
        await prefetched
      }
      if (of === 'client') other.client.close()
      other.queryClient.clear()
      return new WeakRef(one[of])
    }
    expect(await untilCollected([await collected('queryClient'), await collected('client')])).toEqual([])
    expect(listen).toHaveBeenCalledTimes(1)
  })
})
