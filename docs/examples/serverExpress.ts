import { toNodeHandler } from '@modelcontextprotocol/node'
import express from 'express'
import { mcp } from './serverSignIn.ts'

const app = express()
const handle = toNodeHandler(mcp)
app.use(express.json({ limit: '4mb' }))
// The third argument is needed wherever a body parser comes before.
app.all(['/mcp', '/.well-known/oauth-protected-resource/mcp'], (req, res) => handle(req, res, req.body))
app.listen(3000)
