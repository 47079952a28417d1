import { toNodeHandler } from '@modelcontextprotocol/node'
import express from 'express'
import { mcp } from './serverSignIn.ts'

const app = express()
const handle = toNodeHandler(mcp)
// Before any body parser: the server reads the body itself, after it has
// checked the sender.
app.all(['/mcp', '/.well-known/oauth-protected-resource/mcp'], (req, res) =>
  handle(req, res),
)
app.use(express.json())
app.listen(3000)
