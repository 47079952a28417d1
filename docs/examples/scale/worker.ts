import { createTaskWorker } from 'taskwire/server'
import { queue, serverInfo, store, tools } from './parts.ts'

const worker = createTaskWorker({ serverInfo, tools, store, queue, concurrency: 20 })
process.once('SIGTERM', () => void worker.close({ drainMs: 20_000 }).then(() => process.exit(0)))
