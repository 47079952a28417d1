import { join } from 'node:path'
import { toNodeHandler } from '@modelcontextprotocol/node'
import express from 'express'
import { server } from './server.ts'

// What `npm start` runs after `npm run build`: the page and its MCP server, on
// one port.
const app = express()
const mcp = toNodeHandler(server)

app.all('/mcp', (req, res) => mcp(req, res))
app.use(express.static(join(import.meta.dirname, '../client')))

const port = Number(process.env.PORT ?? 3000)
app.listen(port, () => console.log(`http://localhost:${port}`))
