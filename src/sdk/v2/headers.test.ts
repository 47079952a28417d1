import { describe, expect, it } from 'vitest'
import { httpMessage, requestMethod } from '../../core/wire/httpMessage.js'
import { createSimulatedEnvironment } from '../../testing.js'
import { withHeaders } from './headers.js'

const { environment } = createSimulatedEnvironment()
const MCP = { accept: 'text/event-stream' }

describe('withHeaders()', () => {
  async function sent(own: HeadersInit | undefined) {
    const inits: (RequestInit | undefined)[] = []
    const fetch = withHeaders(
      async (_, init) => {
        inits.push(init)
        return new Response()
      },
      { 'x-app': '1', accept: 'text/html' },
      environment,
    )
    await fetch('https://tasks.example/mcp', own && { method: 'POST', headers: own })
    return Object.fromEntries(new Headers(inits[0]?.headers))
  }

  it.each([
    ['what goes to the MCP server; those of the SDK count more', { ...MCP, a: 'b' }, { ...MCP, a: 'b', 'x-app': '1' }],
    ['nothing that goes elsewhere', { accept: 'application/json' }, { accept: 'application/json' }],
    ['nothing that has no headers', undefined, {}],
  ])('adds the headers of the app to %s', async (_, own, expected) => {
    expect(await sent(own)).toEqual(expected)
  })

  it('is the same function where there are none', () => {
    const fetch = async () => new Response()
    expect(withHeaders(fetch, undefined, environment)).toBe(fetch)
  })
})

describe('the message of a fetch', () => {
  it.each([
    ['{"id":1}', { id: 1 }],
    ['[1]', {}],
    ['<p>', {}],
    [undefined, {}],
    [new Uint8Array([123, 125]), {}],
    [['{"id":1}'], {}],
  ])('is read from %s', (body, expected) => {
    expect(httpMessage(body)).toEqual(expected)
  })

  it.each([
    [undefined, 'undefined'],
    [{ body: '{"method":"tools/call"}' }, 'tools/call'],
    [{ body: '{"method":"tools/call"}', headers: { 'mcp-method': 'tasks/get' } }, 'tasks/get'],
  ])('names its method in %j', (init, method) => {
    expect(requestMethod(init)).toBe(method)
  })
})
