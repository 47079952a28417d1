import { describe, expect, it } from 'vitest'
import { withoutSecrets } from '../endpoint.js'
import { redactHeaders, redactUrl } from './redactHttp.js'

describe('redactHeaders', () => {
  it.each([
    ...['cookie', 'cookie2', 'set-cookie', 'x-api-key', 'apikey', 'x-auth', 'x_auth_user', 'x-amz-security-token'],
    ...['mcp-session-id', 'x-credential', 'x-credentials', 'x-jwt', 'x-signature', 'secret', 'password'],
    ...['proxy-authorization', 'x-authtoken', 'x-sessionid', 'dpop', 'x-pat', 'x-author', 'traceparent', 'location'],
  ])('[EDGE-45] hides the value of %s, as of every header that is not known to be harmless', (name) => {
    expect(redactHeaders({ [name]: 'Basic abc' }, undefined)).toEqual({ [name]: '[redacted]' })
  })

  it.each([
    ...[
      'accept',
      'content-type',
      'mcp-protocol-version',
      'mcp-param-region',
      'retry-after',
      'access-control-allow-origin',
    ],
  ])('shows the value of %s', (name) => {
    expect(redactHeaders({ [name]: 'Basic abc' }, undefined)).toEqual({ [name]: 'Basic abc' })
  })

  it.each([
    ['Bearer abc', 'Bearer [redacted]'],
    ['dpop abc', 'dpop [redacted]'],
    ['abc', '[redacted]'],
    ['1abc def', '[redacted]'],
    ['-abc def', '[redacted]'],
  ])('shows the scheme of the authorization %s alone', (authorization, shown) => {
    expect(redactHeaders({ authorization }, undefined)).toEqual({ authorization: shown })
  })

  it.each([
    ['tasks/get', 'abcdefg', 'abcdefg'],
    ['tasks/get', undefined, '[redacted]'],
    ['tools/call', 'abcdefg', 'work'],
    ['x-tasks/get', 'abcdefg', 'work'],
  ])('names the task of %s', (method, task, name) => {
    const headers = { 'mcp-method': method, 'mcp-name': 'work', accept: 'text/plain' }
    expect(redactHeaders(headers, task)).toEqual({ ...headers, 'mcp-name': name })
  })

  it('takes a name without a method, and no headers, as they are', () => {
    expect(redactHeaders({ 'mcp-name': 'work' }, 'abcdefg')).toEqual({ 'mcp-name': 'work' })
    expect(redactHeaders(undefined, undefined)).toEqual({})
  })
})

describe('redactUrl', () => {
  it.each(['https://user:secret@mcp.example:8443/mcp?token=abc#code', new URL('https://mcp.example:8443/mcp?a=b')])(
    'leaves the place of %s',
    (url) => {
      expect(redactUrl(url, withoutSecrets)).toBe('https://mcp.example:8443/mcp')
    },
  )

  it.each([
    ['https://mcp.example/api/mcp/s/NmQxZmI0ZDU6c2VjcmV0/mcp', 'https://mcp.example/api/mcp/s/…/mcp'],
    ['https://mcp.example/mcp/5f0c6a52-7d1e-4a4e-9f3b-0a8e4f1c2d3b', 'https://mcp.example/mcp/…'],
    ['https://mcp.example/sk-a1b2c3/v1/tool_calls/', 'https://mcp.example/…/v1/tool_calls/'],
  ])('[EDGE-45] cuts what may be a secret out of the path of %s', (url, shown) => {
    expect(redactUrl(url, withoutSecrets)).toBe(shown)
  })
})
