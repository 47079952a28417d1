import { describe, expect, it } from 'vitest'
import { setMcpHeaders } from './mcpHeaders.js'

function headersFor(method: string, params: Record<string, unknown>) {
  const headers = new Headers({ 'content-type': 'text/plain', accept: '*/*' })
  setMcpHeaders(headers, method, params)
  return Object.fromEntries(headers)
}

describe('the headers that MCP derives from a request', () => {
  it.each([
    ['tools/list', { name: 'report' }, {}],
    ['tools/call', { name: 'report', taskId: 'a' }, { 'mcp-name': 'report' }],
    ['tools/call', { name: 7 }, {}],
    ['tasks/get', { taskId: 'a', name: 'report' }, { 'mcp-name': 'a' }],
    ['tasks/update', { taskId: 'a' }, { 'mcp-name': 'a' }],
    ['tasks/cancel', { taskId: 'a' }, { 'mcp-name': 'a' }],
  ])('are set for %s %j', (method, params, name) => {
    expect(headersFor(method, params)).toEqual({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-method': method,
      'mcp-protocol-version': '2026-07-28',
      ...name,
    })
  })

  it.each(['a', 'monthly report', 'a\tb', '=?base64?', 'a=?base64?YQ==?=', '=?base64?YQ==?=a'])(
    'hold %j as it is',
    (name) => {
      expect(headersFor('tools/call', { name })['mcp-name']).toBe(name)
    },
  )

  it.each([
    ['ä', 'w6Q='],
    ['Ωa', 'zqlh'],
    [' a', 'IGE='],
    ['a ', 'YSA='],
    ['a\nb', 'YQpi'],
    ['', ''],
    ['=?base64??=', 'PT9iYXNlNjQ/Pz0='],
    ['=?base64?YQ==?=', 'PT9iYXNlNjQ/WVE9PT89'],
  ])('hold %j as Base64', (name, encoded) => {
    expect(headersFor('tools/call', { name })['mcp-name']).toBe(`=?base64?${encoded}?=`)
  })
})
