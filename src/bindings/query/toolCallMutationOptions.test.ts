import { MutationObserver, QueryClient } from '@tanstack/query-core'
import { createTaskClient, type TaskClient } from 'taskwire'
import type { TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createWorkServer } from '../../../test/support/workServer.js'
import { toolCallMutationOptions } from './toolCallMutationOptions.js'

let server: TestServer
let client: TaskClient
let queryClient: QueryClient

beforeEach(() => {
  server = createWorkServer()
  client = createTaskClient({ url: server.url, environment: server.browser.openPage().environment })
  queryClient = new QueryClient({ defaultOptions: { mutations: { retry: 3 } } })
})

describe('a mutation whose tool', () => {
  it('works has the result, and the schema checks it', async () => {
    const outputSchema = z.object({ seconds: z.number().transform(String) })
    const options = toolCallMutationOptions(client, { name: 'work', outputSchema })
    const mutation = new MutationObserver(queryClient, options)
    const done = mutation.mutate({ seconds: 1 })
    await server.advance(3000)
    await expect(done).resolves.toMatchObject({ structuredContent: { seconds: '1' } })
  })

  it('fails is not called again, whatever the defaults of the query client', async () => {
    const mutation = new MutationObserver(queryClient, toolCallMutationOptions(client, { name: 'work' }))
    const failed = mutation.mutate({ seconds: 1, outcome: 'failure' })
    await Promise.all([expect(failed).rejects.toMatchObject({ name: 'TaskFailedError' }), server.advance(60_000)])
    expect(server.count('tools/call')).toBe(1)
  })

  it('runs is joined by a second mutate() with the same key, and called anew after its end', async () => {
    const options = toolCallMutationOptions(client, { name: 'work', key: 'weekly' })
    const [first, second] = [new MutationObserver(queryClient, options), new MutationObserver(queryClient, options)]
    void first.mutate({ seconds: 2 })
    await server.advance(1000)
    void second.mutate({ seconds: 2 })
    await server.advance(5000)
    expect(server.count('tools/call')).toBe(1)
    expect(second.getCurrentResult()).toMatchObject({ isSuccess: true })
    void first.mutate({ seconds: 2 })
    await server.advance(5000)
    expect(server.count('tools/call')).toBe(2)
  })

  it('is refused arguments that are no object fails before anything is sent', async () => {
    const mutation = new MutationObserver(queryClient, toolCallMutationOptions(client, { name: 'work' }))
    const failed = mutation.mutate('now' as never)
    await Promise.all([expect(failed).rejects.toMatchObject({ name: 'TaskConfigurationError' }), server.advance(1000)])
    expect(server.count('tools/call')).toBe(0)
  })
})
