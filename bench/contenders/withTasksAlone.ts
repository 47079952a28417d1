import { withTasks } from 'taskwire'
import type { MemoryServer } from '../support/memoryServer.js'
import type { CallTool } from './contender.js'
import { createSdkClient } from './sdkClient.js'

/** As long as a timer can be: tasks here may run for days. */
const timeout = 2 ** 31 - 1

export async function withTasksAlone(server: MemoryServer): Promise<CallTool> {
  const client = createSdkClient()
  await client.connect(withTasks(server.connect()))
  return (name) => client.callTool({ name, arguments: {} }, { timeout })
}
