// A server that speaks over stdio once there is a file "go", as one that npx has to install first: node lateServer.mjs FOLDER
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, exit, stdin } from 'node:process'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const [, , folder = ''] = argv
const server = new McpServer({ name: 'late', version: '1' })
server.registerTool('look', {}, () => ({ content: [] }))
writeFileSync(join(folder, 'installing'), '')
while (!existsSync(join(folder, 'go'))) await new Promise((resolve) => setTimeout(resolve, 20))
stdin.on('end', () => exit(0))
await server.connect(new StdioServerTransport())
