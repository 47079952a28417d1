import type { MemoryServer } from '../support/memoryServer.js'
import { createRequest } from '../support/request.js'
import type { CallTool } from './contender.js'

/** What polling costs at least: requests and a timer, nothing checked, nothing kept. */
export async function bareLoop(server: MemoryServer): Promise<CallTool> {
  const request = await createRequest(server.connect())
  return async (name) => {
    let answer = await request('tools/call', { name, arguments: {} })
    if (answer['resultType'] !== 'task') return answer
    const { taskId, pollIntervalMs } = answer
    do {
      await new Promise((resolve) => setTimeout(resolve, Number(pollIntervalMs)))
      answer = await request('tasks/get', { taskId })
    } while (answer['status'] === 'working')
    return answer['result']
  }
}
