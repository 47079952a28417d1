import {
  type ClientPool,
  createClientPool,
  fileStorage,
} from 'taskwire/backend'
import { createTaskBridge } from 'taskwire/bridge/server'
import { server } from '../../lib/reports'

// In development, each edit loads this file again. The clients are kept, and
// call the newest server.
const kept = Object.assign(globalThis as { pool?: ClientPool }, { server })
kept.pool ??= createClientPool({
  create: () => ({
    url: 'http://reports.internal/mcp',
    // Only this backend reaches the MCP server, which runs in the same process
    // here. If yours runs elsewhere, remove this line.
    transportOptions: {
      fetch: (url, init) => kept.server.fetch(new Request(url, init)),
    },
    storage: fileStorage('.taskwire'),
  }),
})
const { pool } = kept

const bridge = createTaskBridge({
  // Put the signed-in user of the request here. All visitors share the calls of
  // this one.
  clientOf: () => pool.get('everybody'),
  allow: { tools: ['generate_report'] },
})

export const GET = bridge.fetch
export const POST = bridge.fetch
