import { createTaskServer, type TaskServer, type TaskServerOptions } from 'taskwire/server'
import { bookMeeting, deploy, linkAccount, neverContent } from './askingTools.js'
import { echoText, generateReport } from './tools.js'

/** The MCP server of the demo: a tool that takes its time, one that does not, and some that ask. */
export function createDemoServer(
  options: Pick<TaskServerOptions, 'clock' | 'cors' | 'pollIntervalMs'> = {},
): TaskServer {
  return createTaskServer({
    serverInfo: { name: 'taskwire-demo', version: '1.0.0' },
    tools: [generateReport, echoText, deploy, bookMeeting, linkAccount, neverContent],
    pollIntervalMs: 1000,
    ...options,
  })
}
