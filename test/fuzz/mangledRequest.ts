import { mutateJson } from './mutateJson.js'
import { mutateText } from './mutateText.js'
import type { ServerStep } from './serverCase.js'

type Json = Record<string, unknown>

/** A request as it reaches the server. */
export interface MangledRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** The body, where it is to be sent; a stream of it breaks off after so many bytes. */
  readonly text: string
  readonly stream: { readonly pieces: number; readonly breaksAt: number | undefined } | undefined
  readonly parsedBody: unknown
}

const META = 'io.modelcontextprotocol/'
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

const METHODS = ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD', 'post', 'PROPFIND', 'X']
const PATHS = ['/', '/mcp/', '/mcp?x=1&x=2', '/mcp/../..', '/%00', '/mcp#x', `/${'x'.repeat(5000)}`, '/%E0%A4%A']
const HEADERS: readonly (readonly [name: string, value: string | undefined])[] = [
  ['content-type', undefined],
  ['content-type', 'text/plain'],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-type', 'application/json, application/json'],
  ['accept', undefined],
  ['accept', 'text/html'],
  ['accept', 'application/json'],
  ['accept', 'text/event-stream'],
  ['accept', '*/*;q=0'],
  ['mcp-protocol-version', undefined],
  ['mcp-protocol-version', '2025-11-25'],
  ['mcp-protocol-version', '2026-07-28'],
  ['mcp-protocol-version', '1999-01-01'],
  ['mcp-protocol-version', '2026-07-28, 2025-11-25'],
  ['mcp-method', undefined],
  ['mcp-method', 'tools/list'],
  ['mcp-method', ''],
  ['mcp-name', undefined],
  ['mcp-name', 'somebody else'],
  ['mcp-name', '=?base64?!!!?='],
  ['mcp-name', 'x'.repeat(9000)],
  ['mcp-session-id', 'nobody'],
  ['last-event-id', '__proto__'],
  ['origin', 'https://elsewhere.example'],
  ['access-control-request-method', 'POST'],
  ['authorization', 'Bearer \u00e4'],
  ['content-length', '5'],
  ['content-length', '99999999999'],
  ['content-length', '-1'],
  ['content-encoding', 'br'],
]

/** The request of a step, mangled as it says. */
export function mangledRequest({ request, era, mangle, edits }: ServerStep, id: number): MangledRequest {
  const { method, params, isNotification = false } = request
  const isModern = era === 'modern' && mangle !== 'request without envelope'
  const envelope = {
    [`${META}protocolVersion`]: '2026-07-28',
    [`${META}clientInfo`]: { name: 'fuzz', version: '1' },
    [`${META}clientCapabilities`]: TASKS,
  }
  const _meta = { ...(params['_meta'] as Json | undefined), ...envelope }
  const message = {
    jsonrpc: '2.0',
    ...(!isNotification && { id }),
    method,
    params: isModern ? { ...params, _meta } : params,
  }
  const name = params[NAMES[method] ?? '']
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': era === 'modern' ? '2026-07-28' : '2025-11-25',
    ...(era === 'modern' && { 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) }),
  }
  const plain: MangledRequest = {
    url: 'https://tasks.example/mcp',
    method: 'POST',
    headers,
    text: JSON.stringify(message),
    stream: undefined,
    parsedBody: undefined,
  }
  const { where, how, what } = edits[0] ?? { where: 0, how: 0, what: 0 }
  switch (mangle) {
    case undefined:
    case 'request without envelope':
      return plain
    case 'request members':
      return { ...plain, text: JSON.stringify(mutateJson(message, edits)) ?? '' }
    case 'request text':
      return { ...plain, text: mutateText(plain.text, edits) }
    case 'request headers':
      return {
        ...plain,
        headers: edits.reduce((all, edit) => withHeader(all, HEADERS[edit.where % HEADERS.length]), headers),
      }
    case 'request method':
      return { ...plain, method: METHODS[where % METHODS.length] ?? 'GET' }
    case 'request path':
      return { ...plain, url: `https://tasks.example${PATHS[where % PATHS.length]}` }
    case 'request body stream':
      return {
        ...plain,
        stream: { pieces: 1 + (how % 60), breaksAt: what % 2 === 0 ? where % plain.text.length : undefined },
      }
    case 'request batch': {
      const batches = [
        '[]',
        `[${plain.text}]`,
        `[${plain.text},${plain.text}]`,
        `[${plain.text},null]`,
        `[[${plain.text}]]`,
      ]
      return { ...plain, text: batches[where % batches.length] ?? '[]' }
    }
    case 'request parsed already':
      return { ...plain, text: how % 2 === 0 ? '' : plain.text, parsedBody: mutateJson(message, edits) }
  }
}

function withHeader(
  headers: Readonly<Record<string, string>>,
  [name, value]: readonly [string, string | undefined] = ['x', 'x'],
): Record<string, string> {
  const { [name]: _, ...rest } = headers
  return value === undefined ? rest : { ...rest, [name]: value }
}
