import { toNodeHandler } from '@modelcontextprotocol/node'
import express from 'express'
import { server } from './reports.js'

const app = express()
const mcp = toNodeHandler(server)

// Before any body parser: the server reads the body itself.
app.all('/mcp', (req, res) => mcp(req, res))
app.use(express.json())
app.get('/', (_req, res) => {
  res.type('text').send('The MCP server is at /mcp.\n')
})

const port = Number(process.env.PORT ?? 3000)
app.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/mcp`))
