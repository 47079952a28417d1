import type { ResponseMangle } from './kinds.js'
import { type Edit, mutateJson } from './mutateJson.js'
import { mutateText } from './mutateText.js'

type Json = Record<string, unknown>

/** One thing that happens to a response. */
export interface Fault {
  readonly kind: ResponseMangle
  readonly edits: readonly Edit[]
}

/** What a client gets, before it is bytes. */
interface Draft {
  status: number
  headers: Record<string, string>
  /** The messages, as JSON texts. */
  texts: string[]
  isStream: boolean
  framing: Edit | undefined
  cut: Edit | undefined
}

export interface MangledResponse {
  /** Undefined: nothing comes back, ever (`silence`), or the connection breaks (`lost`). */
  readonly response: Response | 'silence' | 'lost'
  /** Every text that was sent. */
  readonly sent: string
}

export interface MangleOptions {
  readonly message: Json | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly fault: Fault | undefined
  /** The task that the request names: the server may say it again, wherever it likes. */
  readonly taskId: string | undefined
  /** The request's. */
  readonly id: unknown
}

const STATUSES = [
  200, 201, 202, 204, 205, 206, 301, 302, 304, 307, 400, 401, 403, 404, 405, 406, 408, 409, 410, 413, 415, 418, 421,
  422, 425, 426, 429, 431, 451, 500, 501, 502, 503, 504, 511, 599,
]
const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304])

const CONTENT_TYPES = [
  '',
  'text/html',
  'text/plain; charset=utf-8',
  'application/JSON;charset=UTF-8',
  'application/json, text/event-stream',
  'text/event-stream;charset=utf-8',
  'application/problem+json',
  'application/octet-stream',
  ';;;',
  'multipart/form-data; boundary=x',
]

const HEADERS: readonly (readonly [string, string])[] = [
  ['retry-after', '3'],
  ['retry-after', '0'],
  ['retry-after', '-5'],
  ['retry-after', '1e9'],
  ['retry-after', 'Tue, 28 Jul 2026 00:00:08 GMT'],
  ['retry-after', 'Sat, 01 Jan 0000 00:00:00 GMT'],
  ['retry-after', '3, 4'],
  ['retry-after', 'soon'],
  ['www-authenticate', 'Bearer'],
  ['www-authenticate', 'Bearer resource_metadata="https://elsewhere.example/meta", scope="a b"'],
  ['www-authenticate', 'Bearer error="insufficient_scope", scope="\\"'],
  ['www-authenticate', 'Basic realm="x", DPoP algs=""'],
  ['mcp-session-id', 'another session'],
  ['mcp-session-id', ''],
  ['mcp-session-id', 'x'.repeat(8000)],
  ['mcp-protocol-version', '1999-01-01'],
  ['location', 'https://elsewhere.example/'],
  ['content-length', '3'],
  ['content-encoding', 'gzip'],
]

/** The response to one request, or, without a message, to what needs none. */
export function mangledResponse({ message, headers, fault, taskId, id }: MangleOptions): MangledResponse {
  const isError = message !== undefined && 'error' in message
  const draft: Draft = {
    status: message === undefined ? 202 : isError ? 400 : 200,
    headers: { ...(message !== undefined && { 'content-type': 'application/json' }), ...headers },
    texts: message === undefined ? [] : [JSON.stringify(message)],
    isStream: false,
    framing: undefined,
    cut: undefined,
  }
  if (fault?.kind === 'silence') return { response: 'silence', sent: '' }
  if (fault?.kind === 'connection lost') return { response: 'lost', sent: '' }
  if (fault !== undefined) mangle(draft, fault, taskId, id)
  const sent = draft.texts.join('\n')
  return { response: toResponse(draft), sent }
}

/** A message of a stream, mangled: the texts to be sent instead. Undefined: the stream breaks here. */
export function mangledMessages(
  message: Json,
  { kind, edits }: Fault,
  taskId: string | undefined,
): string[] | undefined {
  switch (kind) {
    case 'connection lost':
    case 'event stream cut':
      return undefined
    case 'silence':
      return []
    case 'JSON text':
      return [mutateText(JSON.stringify(message), edits)]
    case 'JSON-RPC envelope':
      return envelope(message, edits[0] ?? FIRST, message['id'])
    case 'task id in words':
      return [JSON.stringify(withWords(message, taskId, edits))]
    default:
      return [JSON.stringify(mutateJson(message, edits))]
  }
}

const FIRST: Edit = { where: 0, how: 0, what: 0 }

function mangle(draft: Draft, { kind, edits }: Fault, taskId: string | undefined, id: unknown): void {
  const edit = edits[0] ?? FIRST
  const message = JSON.parse(draft.texts[0] ?? '{}') as Json
  switch (kind) {
    case 'JSON members':
      draft.texts = [JSON.stringify(mutateJson(message, edits)) ?? '']
      draft.isStream = edit.where % 4 === 0
      break
    case 'JSON text':
      draft.texts = [mutateText(draft.texts[0] ?? '', edits)]
      draft.isStream = edit.how % 4 === 0
      break
    case 'JSON-RPC envelope':
      draft.texts = envelope(message, edit, id)
      draft.isStream = edit.where % 2 === 0
      break
    case 'messages in between':
      draft.texts = [...edits.map((each) => unasked(each, id, taskId)), ...draft.texts]
      draft.isStream = true
      break
    case 'event stream framing':
      draft.isStream = true
      draft.framing = edit
      break
    case 'event stream cut':
      draft.isStream = true
      draft.cut = edit
      break
    case 'HTTP status':
      draft.status = STATUSES[edit.where % STATUSES.length] ?? 500
      if (edit.how % 3 === 0) draft.texts = []
      if (edit.how % 3 === 1) draft.texts = ['<!doctype html><title>Gateway</title>']
      if (edit.what % 3 === 0) for (const each of edits) setHeader(draft, each)
      break
    case 'HTTP headers':
      for (const each of edits) setHeader(draft, each)
      if (edit.what % 2 === 0) draft.status = [401, 403, 429, 503][edit.where % 4] ?? 503
      break
    case 'content type':
      setContentType(draft, edit)
      break
    case 'task id in words':
      draft.texts = [JSON.stringify(withWords(message, taskId, edits))]
      if (edit.how % 3 === 0) draft.status = [400, 404, 409, 500][edit.where % 4] ?? 400
      break
    case 'connection lost':
    case 'silence':
      break
  }
}

/** An error, or a status message, that says the id of the task, in the ways servers do. */
function withWords(message: Json, taskId: string | undefined, edits: readonly Edit[]): Json {
  const { how, what } = edits[0] ?? FIRST
  if (taskId === undefined) return message
  const words = [
    `Task ${taskId} not found`,
    `unexpected token in "${taskId}"`,
    `/tasks/${taskId}: ${taskId},${taskId}`,
    `${'x '.repeat(30)}${taskId}`,
  ][what % 4]
  const code = [-32603, -32602, -32601, -32000, -32021, 404][how % 6]
  const { result } = message
  if (typeof result === 'object' && result !== null && how % 2 === 0) {
    const failed = { status: 'failed', error: { code, message: words, data: { at: 'store' } }, statusMessage: words }
    return { ...message, result: { ...result, ...(what % 2 === 0 ? { statusMessage: words } : failed) } }
  }
  const { result: _, ...rest } = message
  return { ...rest, error: { code, message: words } }
}

/** A response under another id, twice, with a result and an error, in a batch, and so on. */
function envelope(message: Json, { how, what }: Edit, id: unknown): string[] {
  const text = JSON.stringify(message)
  const error = { code: -32603, message: 'Internal error' }
  const ids: readonly unknown[] = [
    `${String(id)}`,
    Number(id),
    null,
    undefined,
    'somebody-else',
    -1,
    { id },
    'taskwire:999',
    0.5,
    '__proto__',
  ]
  switch (how % 8) {
    case 0:
      return [JSON.stringify({ ...message, id: ids[what % ids.length] })]
    case 1:
      return [text, text]
    case 2:
      return [JSON.stringify({ ...message, result: message['result'] ?? {}, error })]
    case 3:
      return [`[${text}]`]
    case 4:
      return [`[${text},${text}]`]
    case 5:
      return [JSON.stringify({ ...message, jsonrpc: what % 2 === 0 ? '1.0' : undefined })]
    case 6:
      return [text, JSON.stringify({ jsonrpc: '2.0', id, error })]
    default:
      return [JSON.stringify({ jsonrpc: '2.0', id, ...(what % 2 === 0 && { method: 'tools/call' }) })]
  }
}

/** What a server may send on any stream, sane or not. */
function unasked({ where, how, what }: Edit, id: unknown, taskId: string | undefined): string {
  const related = { 'io.modelcontextprotocol/related-task': { taskId: taskId ?? 'nobody' } }
  const question = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
  const messages: readonly Json[] = [
    { method: 'notifications/progress', params: { progressToken: id, progress: 1 } },
    { method: 'notifications/progress', params: { progressToken: null, progress: 'much' } },
    { method: 'notifications/message', params: { level: 'info', data: 'x' } },
    { method: 'notifications/unheard-of' },
    { method: 'notifications/cancelled', params: { requestId: id, reason: 'tired' } },
    { method: 'notifications/tools/list_changed' },
    { method: 'notifications/subscriptions/acknowledged', params: { notifications: { taskIds: [null] } } },
    { id: `ping-${what}`, method: 'ping' },
    { id: what, method: 'elicitation/create', params: question },
    { id: `ask-${what}`, method: 'elicitation/create', params: { ...question, _meta: related } },
    { id: null, method: 'sampling/createMessage', params: { messages: [] } },
    { id: 1, method: 'roots/list' },
    { id: 'x', method: 'unheard/of', params: [] },
    { id: 'late', result: {} },
    { id: null, error: { code: -32700, message: 'Parse error' } },
  ]
  const message = { jsonrpc: '2.0', ...messages[where % messages.length] }
  return JSON.stringify(how % 3 === 0 ? mutateJson(message, [{ where: how, how: what, what: where }]) : message)
}

function setHeader(draft: Draft, { how }: Edit): void {
  const [name = 'x', value = ''] = HEADERS[how % HEADERS.length] ?? []
  draft.headers[name] = value
}

function setContentType(draft: Draft, { where, how }: Edit): void {
  const type = CONTENT_TYPES[where % CONTENT_TYPES.length] ?? ''
  if (type === '') delete draft.headers['content-type']
  else draft.headers['content-type'] = type
  if (how % 4 === 0) draft.status = 202
}

function toResponse({ status, headers, texts, isStream, framing, cut }: Draft): Response {
  const all = isStream ? { ...headers, 'content-type': 'text/event-stream' } : headers
  if (NULL_BODY.has(status)) return new Response(null, { status, headers: all })
  const body = isStream ? eventStream(texts, framing) : texts.join('\n')
  return new Response(cut === undefined && framing === undefined ? body : inPieces(body, framing, cut), {
    status,
    headers: all,
  })
}

/** Messages as server-sent events, well framed or as this edit says. */
export function eventStream(texts: readonly string[], framing: Edit | undefined): string {
  const { where, how, what } = framing ?? FIRST
  if (framing === undefined) return texts.map((text) => `event: message\ndata: ${text}\n\n`).join('')
  const end = ['\n', '\r\n', '\r'][where % 3] ?? '\n'
  const around = [
    (data: string) => `:a comment${end}${data}`,
    (data: string) => `id: ${what}${end}${data}`,
    (data: string) => `id: \u0000${end}retry: 1${end}${data}`,
    (data: string) => `retry: 99999999999${end}${data}`,
    (data: string) => `retry: soon${end}event${end}${data}`,
    (data: string) => `event: unheard-of${end}${data}${end}${end}event: message${end}${data}`,
    (data: string) => `data${end}${data}`,
    (data: string) => `\ufeff${data}`,
    (data: string) => `id: primed${end}data:${end}${end}${data}`,
    (data: string) => data,
  ][how % 10]
  const events = texts.map((text) => {
    const lines = what % 4 === 0 ? text.split(/(?<=,)/) : [text]
    const data = lines.map((line) => `data:${what % 2 === 0 ? ' ' : ''}${line}`).join(end)
    return around?.(data) ?? data
  })
  // One in five forgets the blank line: an event that is not ended is none.
  return events.join(end + end) + (what % 5 === 0 ? '' : end + end)
}

/** The bytes of a body in pieces; with a cut, it breaks off in the middle, or stays open for ever after it. */
function inPieces(text: string, framing: Edit | undefined, cut: Edit | undefined): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  const size = 1 + ((framing ?? cut ?? FIRST).what % 97)
  const length = cut === undefined ? bytes.length : cut.where % (bytes.length + 1)
  return new ReadableStream({
    start: (controller) => {
      // A large one would be thousands of pieces.
      const step = Math.max(size, Math.ceil(length / 200))
      for (let at = 0; at < length; at += step) controller.enqueue(bytes.slice(at, Math.min(length, at + step)))
      if (cut === undefined || cut.how % 3 === 0) controller.close()
      else if (cut.how % 3 === 1) controller.error(new TypeError('network error'))
    },
  })
}
