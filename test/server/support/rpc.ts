import type { TaskServer } from '../../../src/server/createTaskServer.js'
import type { TaskServerRequestOptions } from '../../../src/server/taskServerOptions.js'

export type Json = Record<string, unknown>

/** What a client declares that follows tasks and responses no input requests. */
export const TASKS: Json = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** What a client declares that follows tasks and responses input requests of every kind. */
export const TASKS_AND_INPUT: Json = {
  ...TASKS,
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
}

export interface RpcOptions extends TaskServerRequestOptions {
  /** The client's capabilities. @default the Tasks extension, and input of every kind */
  capabilities?: Json
  /** Added to the headers; null takes one away. */
  headers?: Record<string, string | null>
  /** Added to `_meta`. */
  meta?: Json
  signal?: AbortSignal
}

export interface RpcResponse {
  status: number
  headers: Headers
  result: Json | undefined
  error: { code: number; message: string; data?: unknown } | undefined
}

const URL = 'https://tasks.example/mcp'
const NAME_FIELDS: Record<string, string> = {
  'tools/call': 'name',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}
let lastId = 0

/** A request of revision 2026-07-28, as the official client sends it. */
export function rpcRequest(method: string, params: Json, options: RpcOptions = {}): Request {
  const { capabilities = TASKS_AND_INPUT, meta, signal } = options
  const name = params[NAME_FIELDS[method] ?? '']
  lastId += 1
  const body = {
    jsonrpc: '2.0',
    id: lastId,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': capabilities,
        ...meta,
      },
    },
  }
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
    ...options.headers,
  }
  return post(JSON.stringify(body), headers, signal)
}

/** Any body under any headers. */
export function post(body: string, headers: Record<string, string | null> = {}, signal?: AbortSignal): Request {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
  const present = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)
  return new Request(URL, { method: 'POST', headers: present, body, ...(signal !== undefined && { signal }) })
}

/** Sends a request and takes the response apart. */
export async function rpc(
  server: TaskServer,
  method: string,
  params: Json,
  options: RpcOptions = {},
): Promise<RpcResponse> {
  return readResponse(await server.fetch(rpcRequest(method, params, options), options))
}

export async function readResponse(response: Response): Promise<RpcResponse> {
  const body = (await response.json()) as Pick<RpcResponse, 'result' | 'error'>
  return { status: response.status, headers: response.headers, result: body.result, error: body.error }
}
