import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import express from 'express'
import { createTaskServer } from 'taskwire/server'
import { describe, expect, it } from 'vitest'
import { serveNode } from '../cli/support/serve.js'

const EXAMPLES = ['docs/examples/serverExpress.ts', 'docs/examples/corsExpress.ts', 'examples/express/src/index.ts']

describe('a server in Express, mounted as the documentation does it', () => {
  it.each(EXAMPLES)('comes before any body parser in %s', (file) => {
    const source = readFileSync(file, 'utf8')
    expect(source.indexOf('app.all(')).toBeGreaterThan(0)
    expect(source.indexOf('express.json()')).toBeGreaterThan(source.indexOf('app.all('))
  })

  it('asks a request with a malformed body for a token first, and shows no stack trace', async () => {
    const server = createTaskServer({
      serverInfo: { name: 'test', version: '1.0.0' },
      tools: [],
      authenticate: (request) => {
        if (request.headers.get('authorization') !== 'Bearer good') return new Response(null, { status: 401 })
        return { token: 'good', clientId: 'test', scopes: [] }
      },
    })
    const handle = toNodeHandler(server)
    const app = express()
    app.all('/mcp', (req, res) => handle(req, res))
    app.use(express.json())
    const url = await serveNode(app as RequestListener)
    const post = (headers: Record<string, string>) =>
      fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{"jsonrpc"' })
    const foreign = await post({})
    expect([foreign.status, await foreign.text()]).toEqual([401, ''])
    const known = await post({ authorization: 'Bearer good' })
    expect(known.status).toBe(400)
    expect(await known.json()).toMatchObject({ error: { code: -32700 } })
  })
})
