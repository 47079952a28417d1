import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import { CALL_TOKEN_META } from '../transport/callToken.js'
import { TaskTransport } from '../transport/taskTransport.js'
import { routeInputRequests } from './multiRoundTrip.js'

const FORM = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
const inner = { start: async () => {}, close: async () => {}, send: async () => {} }

type Handler = (request: { params?: object }, context: object) => Promise<unknown>

/** Two calls under way, the second of which is the latest. */
function setUp({ era = 'modern', capabilities = { elicitation: { form: {} } } as object } = {}) {
  const handlers: Record<string, Handler> = {}
  const transport = new TaskTransport(inner, {})
  const client = {
    transport: transport as object | undefined,
    getProtocolEra: () => era,
    setRequestHandler: (method: string, handler: Handler) => {
      handlers[method] = handler
    },
  }
  routeInputRequests(client as unknown as Client, capabilities)
  const asks = ['a', 'b'].map((name) => vi.fn(async () => ({ action: 'accept', content: { name } })))
  for (const [index, ask] of asks.entries()) transport.register(`token-${index}`, { ask })
  transport.register('silent', {})
  const { signal } = new AbortController()
  const ask = (params: object | undefined, _meta?: object, method = 'elicitation/create') =>
    handlers[method]?.({ ...(params && { params }) }, { mcpReq: { id: 5, signal, _meta } })
  return { client, handlers, asks, ask, signal }
}

const marked = (token: string) => ({ [CALL_TOKEN_META]: token })

describe('routeInputRequests()', () => {
  it.each([
    [{ elicitation: {} }, ['elicitation/create']],
    [{ sampling: {}, roots: {} }, ['sampling/createMessage', 'roots/list']],
    [{}, []],
  ])('of a client that declares %j handles %j', (capabilities, methods) => {
    expect(Object.keys(setUp({ capabilities }).handlers)).toEqual(methods)
  })

  it('asks the call that the request names, without the name', async () => {
    const { ask, asks, signal } = setUp()
    const meta = marked('token-0')
    expect(await ask({ ...FORM, _meta: meta }, meta)).toEqual({ action: 'accept', content: { name: 'a' } })
    expect(asks[0]).toHaveBeenCalledExactlyOnceWith(
      '5',
      { method: 'elicitation/create', params: { mode: 'form', ...FORM } },
      signal,
    )
    expect(asks[1]).not.toHaveBeenCalled()
  })

  it('asks the latest call in 2025-11-25, which names none', async () => {
    const { ask } = setUp({ era: 'legacy' })
    expect(await ask(FORM)).toEqual({ action: 'accept', content: { name: 'b' } })
  })

  it('takes a request without params', async () => {
    const { ask } = setUp({ capabilities: { roots: {} } })
    expect(await ask(undefined, marked('token-1'), 'roots/list')).toMatchObject({ content: { name: 'b' } })
  })

  it.each([
    ['names no call', FORM, undefined],
    ['names a call that there is not', FORM, marked('other')],
    ['names a call that can ask nobody', FORM, marked('silent')],
    ['is no input request', { message: 7 }, marked('token-0')],
  ])('refuses what %s', async (_, params, meta) => {
    const { ask, asks } = setUp()
    await expect(ask(params, meta)).rejects.toMatchObject({ name: 'TaskProtocolError', source: 'tools/call' })
    for (const one of asks) expect(one).not.toHaveBeenCalled()
  })

  it('refuses what was not declared', async () => {
    const url = { mode: 'url', message: 'Pay', url: 'https://pay.example', elicitationId: '1' }
    const refused = setUp().ask(url, marked('token-0'))
    await expect(refused).rejects.toMatchObject({
      code: -32602,
      message: 'The client has not declared elicitation.url.',
    })
  })

  it.each([undefined, inner])('refuses all over another transport', async (transport) => {
    const { client, ask } = setUp()
    client.transport = transport
    await expect(ask(FORM, marked('token-0'))).rejects.toMatchObject({ name: 'TaskProtocolError' })
  })
})
