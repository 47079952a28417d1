import { createTaskClient } from 'taskwire'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createScriptedServer, http, type Reply, rpcError } from '../support/scriptedServer.js'

const URL_ = 'https://tasks.example/mcp'

/** A page with a client, and a server that does what a test has told it to. */
function setUp() {
  const page = createSimulatedEnvironment()
  const server = createScriptedServer({ now: page.now })
  const client = createTaskClient({
    url: URL_,
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
  })
  return { page, server, client }
}

const answer =
  (result: Record<string, unknown>): Reply =>
  ({ id }) =>
    Response.json({ jsonrpc: '2.0', id, result })

/** A server of 2025-11-25 that serves tasks. */
function setUpLegacy() {
  const scene = setUp()
  const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } }
  scene.server.on('server/discover', rpcError(-32601, 'Method not found'))
  scene.server.on(
    'initialize',
    answer({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'legacy', version: '1' } }),
  )
  return scene
}

describe('a server of 2025-11-25 whose tools cannot be listed', () => {
  it.each([
    ['answers null', () => Response.json(null)],
    ['answers without a list', answer({ tools: 'many' })],
    [
      'answers with half a message',
      http(200, { body: '{"jsonrpc":', headers: { 'content-type': 'application/json' } }),
    ],
    ['answers HTTP 500', http(500)],
  ] satisfies [string, Reply][])(
    '[EDGE-26] that %s fails a call with an error that says that nothing was sent',
    async (_, reply) => {
      const { page, server, client } = setUpLegacy()
      server.on('tools/list', reply)
      await client.connect()
      const call = client.startToolCall({ name: 'report' })
      await page.advance(60_000)
      expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'ConnectionFailedError' } })
      expect(server.received('tools/call')).toEqual([])
    },
  )
})
