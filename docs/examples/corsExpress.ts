import { toNodeHandler } from '@modelcontextprotocol/node'
import cors from 'cors'
import express from 'express'
import { mcp } from './corsServer.ts'

const app = express()
app.use(
  cors({
    origin: 'https://app.example',
    methods: ['GET', 'POST', 'DELETE'],
    allowedHeaders: [
      'content-type',
      'authorization',
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
      'mcp-session-id',
      'last-event-id',
    ],
    exposedHeaders: ['Retry-After', 'WWW-Authenticate', 'Mcp-Session-Id'],
    maxAge: 86_400,
  }),
)

const handle = toNodeHandler(mcp)
app.all('/mcp', (req, res) => handle(req, res))
app.use(express.json())
app.listen(3000)
