import type { TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from './support/anyClient.js'
import { createWorkServer } from './support/workServer.js'

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
})

const open = () => createTaskClient({ url: server.url, environment: server.browser.openPage().environment })

describe('the same key with other arguments', () => {
  it('is refused, and the call that is known goes on', async () => {
    const client = open()
    const first = client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
    const second = client.startToolCall({ name: 'work', arguments: { seconds: 2 } }, { key: 'k' })
    await expect(second.result).rejects.toMatchObject({ name: 'ToolCallKeyConflictError', toolName: 'work' })
    await server.advance(4000)
    await expect(first.result).resolves.toMatchObject({ structuredContent: { seconds: 1 } })
    expect(server.count('tools/call')).toBe(1)
  })
})

describe('arguments that are no JSON', () => {
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  it.each([
    ['a BigInt', { seconds: 1n }],
    ['a circle', circular],
  ])('fail with what to do, and send and record nothing: %s', async (_, args) => {
    const client = open()
    expect(() => client.startToolCall({ name: 'work', arguments: args }, { key: 'k' })).toThrow(/are not JSON/)
    await expect(client.callTool({ name: 'work', arguments: args })).rejects.toMatchObject({
      name: 'TaskConfigurationError',
    })
    await server.advance(1000)
    expect(server.requests).toEqual([])
    expect(client.store.getState().calls).toEqual({})
    expect(server.browser.storage.local.length).toBe(0)
  })

  it.each([
    ['a Date', new Date(0)],
    ['a URL', new URL('https://example.com')],
    ['a toJSON() without a result', { toJSON: () => undefined }],
    ['a toJSON() to a list', { toJSON: () => [1] }],
  ])('are refused where they are no object by then: %s', async (_, args) => {
    const client = open()
    expect(() => client.startToolCall({ name: 'work', arguments: args })).toThrow('must be an object')
    expect(() => client.startToolCall({ name: 'work' }, { meta: args as never })).toThrow('must be a JSON object')
    await server.advance(1000)
    expect(server.requests).toEqual([])
  })

  it('are copied: what the app does with its object afterwards changes no call', async () => {
    const client = open()
    const args = { seconds: 1 }
    const call = client.startToolCall({ name: 'work', arguments: args })
    args.seconds = 60
    await server.advance(3000)
    await expect(call.result).resolves.toMatchObject({ structuredContent: { seconds: 1 } })
    expect(call.getState().arguments).toEqual({ seconds: 1 })
  })
})
