import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import { TaskTransport } from '../transport/taskTransport.js'
import { routeInputRequests } from './routeInputRequests.js'

const FORM = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
const inner = { start: async () => {}, close: async () => {}, send: async () => {} }

type Handler = (request: { params?: object }, context: object) => Promise<unknown>

/** Two calls under way that can ask, and a later one that cannot. */
function setUp({ capabilities = { elicitation: { form: {} } } as object, calls = ['a', 'b'] } = {}) {
  const handlers: Record<string, Handler> = {}
  const transport = new TaskTransport(inner, {})
  const client = {
    transport: transport as object | undefined,
    setRequestHandler: (method: string, handler: Handler) => {
      handlers[method] = handler
    },
  }
  routeInputRequests(client as unknown as Client, capabilities)
  const asks = calls.map((name) => vi.fn(async () => ({ action: 'accept', content: { name } })))
  for (const [index, ask] of asks.entries()) transport.register(`token-${index}`, { ask })
  transport.register('silent', {})
  const { signal } = new AbortController()
  const ask = (params: object | undefined, method = 'elicitation/create') =>
    handlers[method]?.({ ...(params && { params }) }, { mcpReq: { id: 5, signal } })
  return { client, handlers, asks, ask, signal }
}

describe('routeInputRequests()', () => {
  it.each([
    [{ elicitation: {} }, ['elicitation/create']],
    [{ sampling: {}, roots: {} }, ['sampling/createMessage', 'roots/list']],
    [{}, []],
  ])('of a client that declares %j handles %j', (capabilities, methods) => {
    expect(Object.keys(setUp({ capabilities }).handlers)).toEqual(methods)
  })

  it('asks the latest call that can ask, without _meta', async () => {
    const { ask, asks, signal } = setUp()
    expect(await ask({ ...FORM, _meta: { progressToken: 1 } })).toEqual({ action: 'accept', content: { name: 'b' } })
    expect(asks[1]).toHaveBeenCalledExactlyOnceWith(
      '5',
      { method: 'elicitation/create', params: { mode: 'form', ...FORM } },
      signal,
    )
    expect(asks[0]).not.toHaveBeenCalled()
  })

  it('takes a request without params', async () => {
    const { ask } = setUp({ capabilities: { roots: {} } })
    expect(await ask(undefined, 'roots/list')).toMatchObject({ content: { name: 'b' } })
  })

  it.each([
    ['comes while no call can ask', FORM, []],
    ['is no input request', { message: 7 }, ['a']],
  ])('refuses what %s', async (_, params, calls) => {
    const { ask, asks } = setUp({ calls })
    await expect(ask(params)).rejects.toMatchObject({ name: 'TaskProtocolError', source: 'tools/call' })
    for (const one of asks) expect(one).not.toHaveBeenCalled()
  })

  it('refuses what was not declared', async () => {
    const url = { mode: 'url', message: 'Pay', url: 'https://pay.example', elicitationId: '1' }
    const refused = setUp().ask(url)
    await expect(refused).rejects.toMatchObject({
      code: -32602,
      message: 'The client has not declared elicitation.url.',
    })
  })

  it.each([undefined, inner])('refuses all over another transport', async (transport) => {
    const { client, ask } = setUp()
    client.transport = transport
    await expect(ask(FORM)).rejects.toMatchObject({ name: 'TaskProtocolError' })
  })
})
