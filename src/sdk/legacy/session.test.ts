import { SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { isSessionLost, sessionHeaders, withSessionHeader } from './session.js'

describe('withSessionHeader', () => {
  const send = async (init?: RequestInit): Promise<Headers> => {
    let seen = new Headers()
    const fetch = withSessionHeader(async (_, sent) => {
      seen = new Headers(sent?.headers)
      return new Response()
    })
    await fetch('https://a.example/mcp', init)
    return seen
  }

  it('puts the session that is asked for in the place of the own one', async () => {
    const headers = await send({ headers: { 'mcp-session-id': 'own', ...sessionHeaders('other') } })
    expect([...headers]).toEqual([['mcp-session-id', 'other']])
  })

  it('leaves everything else alone', async () => {
    expect([...(await send())]).toEqual([])
    const headers = await send({ headers: { 'mcp-session-id': 'own', a: 'b', ...sessionHeaders(undefined) } })
    expect([...headers]).toEqual([
      ['a', 'b'],
      ['mcp-session-id', 'own'],
    ])
  })
})

describe('isSessionLost', () => {
  const http = (status: number, text = '') =>
    new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'Error', { status, text })

  it.each([
    [http(404), true],
    [http(400, '{"error":{"message":"Bad Request: No valid session ID provided"}}'), true],
    [http(400, '{"error":{"message":"Bad Request: Server not initialized"}}'), true],
    [http(400, '{"error":{"message":"Unsupported protocol version"}}'), false],
    [http(500, 'session'), false],
    [new Error('404'), false],
    [undefined, false],
  ])('%s', (error, expected) => {
    expect(isSessionLost(error)).toBe(expected)
  })
})
