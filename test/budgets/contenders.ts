import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTaskSessionFromClient, type RawClientDispatch } from '@modelcontextprotocol/ext-tasks/client'
import { type JsonValue, toJsonValue } from '@modelcontextprotocol/ext-tasks/core'
import type { Environment } from 'taskwire'

/** A page of an app that follows a task without Taskwire. Returns what ends it. */
export type Contender = (url: string, page: Pick<Environment, 'fetch' | 'setTimeout'>) => Promise<() => Promise<void>>

const PROTOCOL_VERSION = '2026-07-28'
const EXTENSION = 'io.modelcontextprotocol/tasks'
const clientInfo = { name: 'app', version: '1.0.0' }
const envelope = {
  'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': { extensions: { [EXTENSION]: {} } },
}

type Answer = { readonly result?: Record<string, unknown>; readonly error?: { code: number; message: string } }

function createPost(url: string, fetch: Environment['fetch']) {
  let lastId = 0
  return async (method: string, params: Record<string, unknown>, more: HeadersInit = {}): Promise<Answer> => {
    const headers = new Headers({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': PROTOCOL_VERSION,
      'mcp-method': method,
    })
    for (const [name, value] of new Headers(more)) headers.set(name, value)
    lastId += 1
    const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })
    return (await (await fetch(url, { method: 'POST', headers, body })).json()) as Answer
  }
}

/** What polling costs at least: a request and a timer, nothing checked, nothing kept. */
export const naivePoller: Contender = async (url, { fetch, setTimeout }) => {
  const post = createPost(url, fetch)
  let isOver = false
  const params = { name: 'report', arguments: {}, _meta: envelope }
  const { result } = await post('tools/call', params, { 'mcp-name': 'report' })
  const taskId = String(result?.['taskId'])
  const wait = () => setTimeout(() => void poll(), Number(result?.['pollIntervalMs']))
  const poll = async () => {
    if (isOver) return
    await post('tasks/get', { taskId, _meta: envelope }, { 'mcp-name': taskId })
    wait()
  }
  wait()
  return async () => {
    isOver = true
  }
}

/** The official package for tasks, over the SDK. */
export const extTasks: Contender = async (url, { fetch }) => {
  const client = new Client(clientInfo, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }))
  const post = createPost(url, fetch)
  const rawDispatch: RawClientDispatch = async (request, { context } = {}) => {
    const { method, params } = request as { method: string; params: Record<string, unknown> & { name?: string } }
    const named = params.name === undefined ? {} : { 'mcp-name': params.name }
    const { result, error } = await post(method, params, { ...named, ...context?.headers })
    if (error !== undefined) return { kind: 'error', error }
    return { kind: 'result', result: toJsonValue(result) as JsonValue }
  }
  const session = createTaskSessionFromClient(client, {
    endpointId: 'budgets',
    rawDispatch,
    v2RequestFraming: { protocolVersion: PROTOCOL_VERSION, clientInfo, clientCapabilities: {} },
  })
  const execution = await session.callTool('report', {})
  execution.settle().catch(() => {})
  return async () => {
    await session.close()
    await client.close()
  }
}
