import { describe, expect, it, vi } from 'vitest'
import { InMemoryTaskStore } from '../../src/server/tasks/inMemoryTaskStore.js'
import { PATIENCE } from '../support/patience.js'
import { settle } from './support/manualClock.js'
import { rpc, rpcRequest } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { greet, slow } from './support/tools.js'

describe('the fetch handler of a server', () => {
  it('can be passed around on its own', async () => {
    const { server } = startServer({ tools: [greet] })
    const { fetch } = server
    expect((await fetch(rpcRequest('tools/list', {}))).status).toBe(200)
  })

  it.each(['GET', 'DELETE', 'PUT'])('leaves %s to the SDK', async (method) => {
    const { server } = startServer({ tools: [greet] })
    expect((await server.fetch(new Request('https://tasks.example/mcp', { method }))).status).toBe(405)
  })

  it('reads requests of browsers that show no body, within the limit', async () => {
    const t = startServer({ tools: [greet], maxRequestBodySize: 1000 })
    const send = async (params: Record<string, unknown>) => {
      const request = Object.defineProperty(rpcRequest('tools/list', params), 'body', { value: undefined })
      return (await t.server.fetch(request)).status
    }
    expect(await send({})).toBe(200)
    expect(await send({ cursor: 'x'.repeat(1000) })).toBe(413)
  })

  it('registers what has nothing to do with tasks, and lets the SDK serve it', async () => {
    const t = startServer({
      tools: [],
      serverOptions: { instructions: 'Ask nicely', capabilities: { logging: {} } },
      setup: (server) =>
        void server.registerPrompt('hello', {}, () => ({
          messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
        })),
    })
    expect((await t.rpc('prompts/list', {})).result).toMatchObject({ prompts: [{ name: 'hello' }] })
    expect((await t.rpc('server/discover', {})).result).toMatchObject({
      instructions: 'Ask nicely',
      capabilities: { prompts: {}, tools: {}, logging: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
    })
  })

  it('answers with an internal error where setup fails, and tells the operator', async () => {
    const t = startServer({
      tools: [],
      setup() {
        throw new Error('secret')
      },
    })
    const { status, error } = await t.rpc('tools/list', {})
    expect({ status, error }).toEqual({ status: 500, error: { code: -32603, message: 'Internal server error' } })
    expect(t.errors).toContainEqual({
      error: expect.objectContaining({ message: 'secret' }),
      context: { source: 'server' },
    })
  })

  it('passes a subscription through to the SDK', async () => {
    const { server } = startServer({
      tools: [greet],
      serverOptions: { capabilities: { tools: { listChanged: true } } },
    })
    const client = new AbortController()
    const params = { notifications: { toolsListChanged: true } }
    const response = await server.fetch(rpcRequest('subscriptions/listen', params, { signal: client.signal }))
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const reader = response.body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toContain('notifications/subscriptions/acknowledged')
    client.abort()
    await vi.waitFor(async () => expect((await reader?.read())?.done).toBe(true), PATIENCE)
  })
})

describe('close() of a server', () => {
  it('aborts all work and fails its tasks, which a store that lasts can tell', async () => {
    const store = new InMemoryTaskStore()
    const before = startServer({ store, tools: [slow] })
    const done = await before.start('slow', { ms: 10 })
    await before.clock.advance(10)
    const working = await before.start('slow')
    await before.server.close()
    const after = startServer({ store, tools: [slow] })
    expect(await after.get(done)).toMatchObject({ status: 'completed' })
    expect(await after.get(working)).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'The server was shut down before the tool had finished.' },
    })
    expect(before.clock.pending).toBe(0)
    expect(before.errors).toEqual([])
  })

  it('lets nothing start that was about to', async () => {
    const store = new InMemoryTaskStore()
    const countAtWork = store.countAtWork.bind(store)
    let goOn = () => {}
    store.countAtWork = async (owner) => {
      await new Promise<void>((resolve) => {
        goOn = resolve
      })
      return countAtWork(owner)
    }
    const { server, call } = startServer({ store, tools: [slow] })
    const answer = call('slow')
    await settle()
    const closed = server.close()
    goOn()
    await closed
    await answer.catch(() => {})
    expect(store.size).toBe(0)
  })

  it('refuses what comes later', async () => {
    const { server } = startServer({ tools: [slow] })
    await server.close()
    await server.close()
    expect(await rpc(server, 'tools/call', { name: 'slow', arguments: {} })).toMatchObject({
      status: 503,
      error: { code: -32000, message: 'The server is closed' },
    })
  })
})
