import { createTaskWorker } from 'taskwire/server'
import { queue, store } from './parts.ts'
import { serverInfo, tools } from './tools.ts'

const worker = createTaskWorker({
  serverInfo,
  tools,
  store,
  queue,
  concurrency: 20,
})
process.once(
  'SIGTERM',
  () => void worker.close({ drainMs: 20_000 }).then(() => process.exit(0)),
)
