import { createTaskServer, type TaskServer, type TaskServerOptions } from 'taskwire/server'
import { bookMeeting, deploy, linkAccount, neverContent } from './askingTools.js'
import { echoText, generateReport } from './tools.js'

/** What differs between the places where the server of the demo runs. */
export type DemoServerOptions = Pick<
  TaskServerOptions,
  'clock' | 'cors' | 'leaseMs' | 'onError' | 'pollIntervalMs' | 'store'
>

/** The MCP server of the demo: a tool that takes its time, one that does not, and some that ask. */
export function createDemoServer(options: DemoServerOptions = {}): TaskServer {
  return createTaskServer({
    serverInfo: { name: 'taskwire-demo', version: '1.0.0' },
    tools: [generateReport, echoText, deploy, bookMeeting, linkAccount, neverContent],
    pollIntervalMs: 1000,
    ...options,
  })
}
