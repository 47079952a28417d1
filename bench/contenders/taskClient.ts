import { createTaskClient, type Environment, type TaskClient, type TaskStorage } from 'taskwire'
import { createSimulatedBrowser } from 'taskwire/testing'
import type { MemoryServer } from '../support/memoryServer.js'
import type { CallTool } from './contender.js'
import { createSdkClient } from './sdkClient.js'

export async function taskClient(server: MemoryServer): Promise<CallTool> {
  const client = openPage(server, 'memory')
  await client.connect()
  return (name) => client.callTool({ name, arguments: {} })
}

/** The time of this process, which is the driven clock's where that has taken over. */
const PROCESS_TIME: PageTime = {
  now: () => Date.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
}

type PageTime = Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>

/** A client in a page of its own, which has locks, channels and events as a browser's has. */
export function openPage(server: MemoryServer, storage: TaskStorage | 'memory', time = PROCESS_TIME): TaskClient {
  const { environment } = createSimulatedBrowser().openPage()
  return createTaskClient({
    client: createSdkClient(),
    transport: () => server.connect(),
    endpoint: 'https://bench.example/mcp',
    push: false,
    storage,
    environment: { ...environment, ...time },
  })
}
