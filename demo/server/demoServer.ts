import { createTaskServer, type TaskServer, type TaskServerOptions } from 'taskwire/server'
import { askProducer, bookReview, linkFestival, releaseTrailer } from './askingTools.js'
import { farmStatus, renderShot } from './tools.js'

/** What differs between the places where the server of the demo runs. */
export type DemoServerOptions = Pick<
  TaskServerOptions,
  'clock' | 'cors' | 'leaseMs' | 'onError' | 'pollIntervalMs' | 'store'
>

/** The MCP server of the demo: a tool that takes its time, one that does not, and some that ask. */
export function createDemoServer(options: DemoServerOptions = {}): TaskServer {
  return createTaskServer({
    serverInfo: { name: 'taskwire-demo', version: '1.0.0' },
    tools: [renderShot, farmStatus, releaseTrailer, bookReview, linkFestival, askProducer],
    pollIntervalMs: 1000,
    ...options,
  })
}
