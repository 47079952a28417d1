import { createTaskServer, type TaskServer, type TaskServerOptions } from 'taskwire/server'
import { askProducer, bookReview, linkFestival, releaseTrailer } from './askingTools.js'
import { farmStatus, renderShot } from './tools.js'

/** The MCP server of the demo: a tool that takes its time, one that does not, and some that ask. */
export function createDemoServer(
  options: Pick<TaskServerOptions, 'clock' | 'cors' | 'leaseMs' | 'pollIntervalMs' | 'store'> = {},
): TaskServer {
  return createTaskServer({
    serverInfo: { name: 'taskwire-demo', version: '1.0.0' },
    tools: [renderShot, farmStatus, releaseTrailer, bookReview, linkFestival, askProducer],
    pollIntervalMs: 1000,
    ...options,
  })
}
