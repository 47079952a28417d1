import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
  type RawClientDispatch,
  type TaskEnabledSession,
} from '@modelcontextprotocol/ext-tasks/client'
import { toJsonValue } from '@modelcontextprotocol/ext-tasks/core'
import { isJSONRPCErrorResponse, isJSONRPCResultResponse } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import type { TaskServer } from '../../../src/server/createTaskServer.js'
import { post } from '../../server/support/rpc.js'

export const PROTOCOL_VERSION = '2026-07-28'
const clientInfo = { name: 'ext-tasks', version: '1.0.0' }
const clientCapabilities = { elicitation: { form: {} } }

/** Sends what the package hands over, word for word: it brings its own envelope, and takes no SDK codec in between. */
export function createRawDispatch({ fetch }: TaskServer): RawClientDispatch {
  let lastId = 0
  return async (request, { signal, context } = {}) => {
    const { method, params } = request as { method: string; params: { name?: string } }
    lastId += 1
    const headers = new Headers({ 'mcp-protocol-version': PROTOCOL_VERSION, 'mcp-method': method })
    if (params.name !== undefined) headers.set('mcp-name', params.name)
    // The package names the task itself.
    for (const [name, value] of Object.entries(context?.headers ?? {})) headers.set(name, value)
    const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })
    const message: unknown = await (await fetch(post(body, Object.fromEntries(headers), signal))).json()
    if (isJSONRPCErrorResponse(message)) {
      const { code, message: text, data } = message.error
      return { kind: 'error', error: { code, message: text, ...(data !== undefined && { data: toJsonValue(data) }) } }
    }
    if (!isJSONRPCResultResponse(message)) throw new TypeError('no JSON-RPC answer')
    return { kind: 'result', result: toJsonValue(message.result) }
  }
}

/** A session of the official client for tasks; `answer` is what its user says to every form. */
export async function openSession(
  server: TaskServer,
  answer: Readonly<Record<string, string>> = {},
): Promise<TaskEnabledSession> {
  const client = new Client(clientInfo, {
    capabilities: clientCapabilities,
    versionNegotiation: { mode: 'auto' },
  })
  const fetch = (url: string | globalThis.URL, init?: RequestInit) => server.fetch(new Request(url, init))
  await client.connect(new StreamableHTTPClientTransport(new URL('https://tasks.example/mcp'), { fetch }))
  const session = createTaskSessionFromClient(client, {
    endpointId: 'test',
    rawDispatch: createRawDispatch(server),
    v2RequestFraming: { protocolVersion: PROTOCOL_VERSION, clientInfo, clientCapabilities },
    onInputRequest: createApplicationInputHandler({
      elicitation: () => ({ action: 'accept', content: answer }),
      sampling: () => Promise.reject(new TypeError('nobody asked for this')),
      roots: () => ({ roots: [] }),
    }),
  })
  onTestFinished(async () => {
    await session.close()
    await client.close()
  })
  return session
}
