import type { JsonObject } from '../../protocol/json.js'
import { headersOfArguments, type ListedHeaders } from './toolHeaders.js'

/** The revision that taskwire/lite speaks. */
export const PROTOCOL_VERSION = '2026-07-28'

/** Which member of the params the header `Mcp-Name` repeats (MCP 2026-07-28, "Streamable HTTP"). */
const NAME_OF: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** Sets the headers that the specification derives from a request. They count more than those of the app. */
export function setMcpHeaders(headers: Headers, method: string, params: JsonObject, listed?: ListedHeaders): void {
  headers.set('content-type', 'application/json')
  headers.set('accept', 'application/json, text/event-stream')
  headers.set('mcp-protocol-version', PROTOCOL_VERSION)
  headers.set('mcp-method', method)
  const name = params[NAME_OF[method] ?? '']
  if (typeof name !== 'string') return
  headers.set('mcp-name', encodeHeaderValue(name))
  const asked = method === 'tools/call' ? listed?.get(name) : undefined
  for (const [header, value] of headersOfArguments(asked ?? [], params['arguments'])) {
    headers.set(header, encodeHeaderValue(value))
  }
}

/** A header holds visible ASCII; anything else, or what looks encoded already, goes as Base64 of its UTF-8. */
function encodeHeaderValue(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value)
  if (isPlain && !/^=\?base64\?.*\?=$/.test(value)) return value
  const bytes = Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte))
  return `=?base64?${btoa(bytes.join(''))}?=`
}
