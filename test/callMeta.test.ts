import type { Environment, TaskClient } from 'taskwire'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from './support/anyClient.js'
import { createWorkServer } from './support/workServer.js'

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
})

function openTab(environment: Partial<Environment> = {}): { page: SimulatedPage; client: TaskClient } {
  const page = server.browser.openPage()
  return { page, client: createTaskClient({ url: server.url, environment: { ...page.environment, ...environment } }) }
}

/** `_meta` of each `tools/call` that the server has received. */
const metas = () =>
  server.requests
    .filter(({ method }) => method === 'tools/call')
    .map(({ params }) => params?.['_meta'] as Record<string, unknown>)

describe('addCallMeta()', () => {
  it('adds what every function returns to the tools/call, and to no record', async () => {
    const { client } = openTab()
    client.addCallMeta(({ name }) => () => ({ 'com.example/tool': name }))
    client.addCallMeta(() => () => ({ traceparent: '00-aa-bb-01' }))
    client.startToolCall({ name: 'work', arguments: { seconds: 60 } })
    await server.advance(2000)
    expect(metas()).toEqual([expect.objectContaining({ 'com.example/tool': 'work', traceparent: '00-aa-bb-01' })])
    const { local } = server.browser.storage
    const items = Array.from({ length: local.length }, (_, index) => local.getItem(local.key(index) ?? ''))
    expect(items).toHaveLength(1)
    expect(items.join()).not.toContain('00-aa-bb-01')
  })

  it('adds it to each round of a call that is asked before there is a task', async () => {
    const { client } = openTab()
    client.addCallMeta(() => () => ({ 'com.example/a': 1 }))
    const call = client.startToolCall({ name: 'ask_early', arguments: { message: 'Sure?' } })
    await server.advance(100)
    void call.respond('early', { action: 'accept', content: { ok: true } })
    await server.advance(3000)
    expect(metas().map((meta) => meta['com.example/a'])).toEqual([1, 1])
  })

  it('asks for it while the app starts the call, and again when the request goes out', async () => {
    const { client } = openTab()
    const steps: string[] = []
    client.addCallMeta(() => {
      steps.push('prepared')
      return () => {
        steps.push('sent')
        return {}
      }
    })
    client.startToolCall({ name: 'work', arguments: { seconds: 1 } })
    steps.push('started')
    await server.advance(100)
    expect(steps).toEqual(['prepared', 'started', 'sent'])
  })

  it('is not asked for a request where the call is that of another tab', async () => {
    const work = { name: 'work', arguments: { seconds: 60 } }
    openTab().client.startToolCall(work, { key: 'k' })
    await server.advance(2000)
    const { client } = openTab()
    const send = vi.fn(() => ({}))
    client.addCallMeta(() => send)
    client.startToolCall(work, { key: 'k' })
    await server.advance(2000)
    expect(send).not.toHaveBeenCalled()
  })

  it('adds nothing after it was removed', async () => {
    const { client } = openTab()
    const remove = client.addCallMeta(() => () => ({ 'com.example/a': 1 }))
    remove()
    client.startToolCall({ name: 'echo', arguments: { text: 'a' } })
    await server.advance(100)
    expect(metas()[0]).not.toHaveProperty(['com.example/a'])
  })

  it('does not let an error of the app stop a call', async () => {
    const thrown: unknown[] = []
    const { environment } = server.browser.openPage()
    const setTimeout: Environment['setTimeout'] = (callback, delayMs) =>
      environment.setTimeout(() => {
        try {
          callback()
        } catch (error) {
          thrown.push(error)
        }
      }, delayMs)
    const { client } = openTab({ setTimeout })
    client.addCallMeta(() => {
      throw new Error('while preparing')
    })
    client.addCallMeta(() => () => {
      throw new Error('while sending')
    })
    client.addCallMeta(() => () => ({ 'com.example/a': 1 }))
    client.startToolCall({ name: 'echo', arguments: { text: 'a' } })
    await server.advance(1000)
    expect(metas()[0]).toHaveProperty(['com.example/a'], 1)
    expect(thrown.map(String)).toEqual(['Error: while preparing', 'Error: while sending'])
  })
})
