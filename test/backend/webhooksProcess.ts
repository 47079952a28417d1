// A process of a backend that sends webhooks: `node scripts/run.mjs test/backend/webhooksProcess.ts FOLDER MCP RECEIVER SECRET`. Each line of
// its input is the key of a call that it makes.
import { createInterface } from 'node:readline'
import { createClientPool, fileStorage } from 'taskwire/backend'
import { createWebhooks } from 'taskwire/backend/webhooks'

const [, , folder = '', mcpUrl = '', url = '', secret = ''] = process.argv
const storage = fileStorage(folder)
const webhooks = createWebhooks({ storage, endpoint: { url, secret }, onError: (error) => console.error(error) })
const pool = createClientPool({ create: () => ({ url: mcpUrl, push: false, storage }), onCreate: webhooks.watch })
await webhooks.resume(pool.get)

// It ends with the process that started it.
const lines = createInterface({ input: process.stdin }).once('close', () => process.exit())
lines.on('line', (key) => {
  const { result } = pool.get('ada').startToolCall({ name: 'work', arguments: { seconds: 2 } }, { key })
  result.catch((error: unknown) => console.error(error))
})
console.log('ready')
