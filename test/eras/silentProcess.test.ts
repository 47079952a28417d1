import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { withTasks } from 'taskwire'
import { expect, it } from 'vitest'

/** A server of 2025-06-18 that does not answer methods that it does not know. */
const SILENT = `
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (method !== 'initialize') return
    const { protocolVersion } = params
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'silent', version: '1' } }
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
`

it('a child process that is silent when it is asked for its revision is of an earlier one, as without withTasks', async () => {
  const transport = withTasks(new StdioClientTransport({ command: process.execPath, args: ['-e', SILENT] }))
  const client = new Client(
    { name: 'app', version: '1' },
    { versionNegotiation: { mode: 'auto', probe: { timeoutMs: 200 } } },
  )
  await client.connect(transport)
  expect(client.getServerVersion()).toMatchObject({ name: 'silent' })
  expect(transport).toHaveProperty('pid', expect.any(Number))
  await client.close()
})
