import { createTaskServer, type TaskServer } from 'taskwire/server'
import { bookMeeting, deploy, linkAccount, neverContent } from './askingTools.js'
import { echoText, generateReport } from './tools.js'

/** The MCP server of the demo: a tool that takes its time, one that does not, and some that ask. */
export function createDemoServer(options: { cors?: boolean } = {}): TaskServer {
  return createTaskServer({
    serverInfo: { name: 'taskwire-demo', version: '1.0.0' },
    tools: [generateReport, echoText, deploy, bookMeeting, linkAccount, neverContent],
    pollIntervalMs: 1000,
    ...options,
  })
}
