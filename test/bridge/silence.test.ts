import { expect, it } from 'vitest'
import { createBridgedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'

it('a stream that shows no sign of life is opened again', async () => {
  const server = createWorkServer({ browser: { turns: 60 } })
  const backend = createBridgedBackend(server, { heartbeatMs: 1_000_000 })
  const { client } = backend.openPage()
  void client.connect()
  await server.advance(50_000)
  expect(backend.requests.filter(({ method }) => method === 'GET')).toHaveLength(2)
})
