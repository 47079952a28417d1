// #region worker
import { createTaskWorker } from 'taskwire/server'
import { queue, serverInfo, store, tools } from './scaleParts.js'

const worker = createTaskWorker({ serverInfo, tools, store, queue, concurrency: 20 })
process.once('SIGTERM', () => void worker.close({ drainMs: 20_000 }).then(() => process.exit(0)))
// #endregion worker
