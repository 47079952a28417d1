import { dehydrate, hydrate, QueryClient, QueryObserver } from '@tanstack/query-core'
import type { TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createTaskClient } from '../../../test/support/anyClient.js'
import { createWorkServer } from '../../../test/support/workServer.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { toolCallQueryOptions } from '../query/toolCallQueryOptions.js'
import { followNewerCall } from './followNewerCall.js'

let server: TestServer
let client: TaskClient
let queryClient: QueryClient

beforeEach(() => {
  server = createWorkServer()
  client = openTab()
  queryClient = new QueryClient()
})

const openTab = () => createTaskClient({ url: server.url, environment: server.browser.openPage().environment })
const made = () => server.count('tools/call')

const makeAgain = (seconds: number, repeat: 'settled' | 'always' = 'settled') =>
  client.startToolCall({ name: 'work', arguments: { seconds } }, { key: 'weekly', repeat })

const optionsOf = () => toolCallQueryOptions(client, { name: 'work', arguments: { seconds: 1 }, key: 'weekly' })

/** A component that shows the query of a call, and how often that was fetched. */
function show() {
  const observer = new QueryObserver(queryClient, optionsOf())
  let fetches = 0
  const stopCounting = queryClient.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'fetch') fetches += 1
  })
  const stops = [stopCounting, observer.subscribe(() => {}), followNewerCall(queryClient, client, 'work', 'weekly')]
  return {
    get data() {
      return observer.getCurrentResult().data?.structuredContent
    },
    get fetches() {
      return fetches
    },
    observer,
    unmount: () => stops.forEach((stop) => void stop()),
  }
}

/** What a storage has of the query cache. TanStack Query notes the times of the machine, not those of the test. */
function store() {
  const stored = dehydrate(queryClient)
  for (const { state } of stored.queries) state.dataUpdatedAt = server.browser.now()
  return stored
}

/** The next visit, with the query cache of this one, or of an earlier moment. */
async function comeBack(stored = store()) {
  await client.close()
  client = openTab()
  queryClient = new QueryClient()
  hydrate(queryClient, stored)
}

/** Finds the calls of the visit before, and their outcomes. */
async function resume() {
  await client.resumeToolCalls()
  await server.advance(3000)
  void client.getToolCall(client.toolCallId('work', 'weekly'))?.result
  await server.advance(3000)
  expect(client.getToolCallState(client.toolCallId('work', 'weekly'))?.phase).toBe('completed')
}

describe('a query whose calls it has made itself', () => {
  it('is fetched once', async () => {
    const shown = show()
    await server.advance(3000)
    expect([shown.data, shown.fetches]).toEqual([{ seconds: 1 }, 1])
  })

  it('is fetched once more for refetch(), however many show it', async () => {
    const [shown] = [show(), show()]
    await server.advance(3000)
    void shown?.observer.refetch()
    await server.advance(3000)
    expect([shown?.fetches, made()]).toEqual([2, 2])
  })

  it('is not fetched in the next visit, which has it from a storage', async () => {
    const first = show()
    await server.advance(3000)
    first.unmount()
    await comeBack()
    const second = show()
    await resume()
    expect([second.data, second.fetches]).toEqual([{ seconds: 1 }, 0])
  })
})

describe('a query whose call was made again by something else', () => {
  it('is fetched once, however many show it', async () => {
    const [shown] = [show(), show()]
    await server.advance(3000)
    makeAgain(2)
    await server.advance(4000)
    expect([shown?.data, shown?.fetches, made()]).toEqual([{ seconds: 2 }, 2, 2])
  })

  it('is fetched again where that one is replaced, too', async () => {
    const shown = show()
    await server.advance(3000)
    makeAgain(5)
    await server.advance(1500)
    makeAgain(2, 'always')
    await server.advance(8000)
    expect([shown.data, made()]).toEqual([{ seconds: 2 }, 3])
    expect(shown.observer.getCurrentResult()).toMatchObject({ status: 'success', fetchStatus: 'idle' })
  })

  it('is fetched where it came from a storage, too', async () => {
    const first = show()
    await server.advance(3000)
    first.unmount()
    await comeBack()
    const second = show()
    makeAgain(2)
    await server.advance(4000)
    expect([second.data, second.fetches]).toEqual([{ seconds: 2 }, 1])
  })

  /** What a storage has of the query when the call was made again after it was stored, and has ended since. */
  async function storeOutdated() {
    const first = show()
    await server.advance(3000)
    first.unmount()
    const stored = store()
    makeAgain(2)
    await server.advance(4000)
    return stored
  }

  it('is fetched where a storage has the outcome of the call before', async () => {
    const stored = await storeOutdated()
    await comeBack(stored)
    const second = show()
    await resume()
    expect([second.data, second.fetches, made()]).toEqual([{ seconds: 2 }, 1, 2])
  })

  it('is fetched where a storage that takes its time has the outcome of the call before', async () => {
    const stored = await storeOutdated()
    await comeBack({ mutations: [], queries: [] })
    // Until its cache is restored, an app subscribes to no query.
    const observer = new QueryObserver(queryClient, optionsOf())
    onTestFinished(followNewerCall(queryClient, client, 'work', 'weekly'))
    await resume()
    hydrate(queryClient, stored)
    onTestFinished(observer.subscribe(() => {}))
    await server.advance(100)
    expect(observer.getCurrentResult().data?.structuredContent).toEqual({ seconds: 2 })
    expect(made()).toBe(2)
  })

  it('is not fetched once nothing shows it', async () => {
    const shown = show()
    await server.advance(3000)
    shown.unmount()
    makeAgain(2)
    await server.advance(4000)
    expect(shown.data).toEqual({ seconds: 1 })
  })

  it('is fetched once another fetch of it was given up', async () => {
    const shown = show()
    await server.advance(3000)
    makeAgain(3)
    await server.advance(500)
    await queryClient.cancelQueries()
    await server.advance(5000)
    expect(shown.data).toEqual({ seconds: 3 })
  })
})
