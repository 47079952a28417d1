import type { MemoryServer } from '../support/memoryServer.js'
import type { CallTool } from './contender.js'
import { createSdkClient } from './sdkClient.js'

/** The SDK client without anything: it knows no tasks, only results that come at once. */
export async function sdkAlone(server: MemoryServer): Promise<CallTool> {
  const client = createSdkClient()
  await client.connect(server.connect())
  return (name) => client.callTool({ name, arguments: {} })
}
