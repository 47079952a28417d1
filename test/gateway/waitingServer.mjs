// A server that speaks over stdio, with tools that work until there is a file "go": node waitingServer.mjs FOLDER
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, exit, stdin } from 'node:process'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const [, , folder = ''] = argv
const server = new McpServer({ name: 'waiting', version: '1' })

for (const [name, readOnlyHint] of /** @type {const} */ ([
  ['write', false],
  ['read', true],
])) {
  server.registerTool(name, { annotations: { readOnlyHint } }, async () => {
    appendFileSync(join(folder, name), 'run\n')
    while (!existsSync(join(folder, 'go'))) await new Promise((resolve) => setTimeout(resolve, 20))
    const runs = readFileSync(join(folder, name), 'utf8').trim().split('\n').length
    return { content: [{ type: 'text', text: `${name}: run ${runs}` }] }
  })
}
stdin.on('end', () => exit(0))
await server.connect(new StdioServerTransport())
