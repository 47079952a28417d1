import { toNodeHandler } from '@modelcontextprotocol/node'
import express from 'express'
import { server } from './reports.js'

const app = express()
const mcp = toNodeHandler(server)

app.use(express.json({ limit: '4mb' }))
// The third argument is needed behind a body parser.
app.all('/mcp', (req, res) => mcp(req, res, req.body))
app.get('/', (_req, res) => {
  res.type('text').send('The MCP server is at /mcp.\n')
})

const port = Number(process.env.PORT ?? 3000)
app.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/mcp`))
