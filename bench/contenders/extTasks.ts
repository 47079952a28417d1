import { createTaskSessionFromClient, type RawClientDispatch } from '@modelcontextprotocol/ext-tasks/client'
import type { JsonValue } from '@modelcontextprotocol/ext-tasks/core'
import type { MemoryServer } from '../support/memoryServer.js'
import { createRequest } from '../support/request.js'
import type { CallTool } from './contender.js'
import { clientInfo, createSdkClient } from './sdkClient.js'

/** The official package for tasks. Its raw requests go the shortest way that there is: that of the bare loop. */
export async function extTasks(server: MemoryServer): Promise<CallTool> {
  const client = createSdkClient()
  await client.connect(server.connect())
  const request = await createRequest(server.connect())
  const rawDispatch: RawClientDispatch = async (message) => {
    const { method, params } = message as { method: string; params: Record<string, unknown> }
    return { kind: 'result', result: (await request(method, params)) as JsonValue }
  }
  const session = createTaskSessionFromClient(client, {
    endpointId: 'bench',
    rawDispatch,
    v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo, clientCapabilities: {} },
  })
  return async (name) => (await session.callTool(name, {})).settle()
}
