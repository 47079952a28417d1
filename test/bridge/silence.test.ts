import { expect, it } from 'vitest'
import { createBridgedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'

it('a stream that shows no sign of life is opened again', async () => {
  const server = createWorkServer({ browser: { turns: 60 } })
  const backend = createBridgedBackend(server)
  let opened = 0
  const headers = { 'content-type': 'text/event-stream' }
  const silent = async (_: string | URL, init: RequestInit = {}) => {
    if (init.method === 'POST') return network.send(init)
    opened += 1
    return new Response(new ReadableStream(), { headers })
  }
  const { client, network } = backend.openPage(undefined, { fetch: silent })
  void client.connect()
  await server.advance(50_000)
  expect(opened).toBe(2)
})

it.each([60_000, Number.POSITIVE_INFINITY])(
  'a backend whose heartbeats are %s ms apart gives a stream a sign of life before its page takes it for dead',
  async (heartbeatMs) => {
    const server = createWorkServer({ browser: { turns: 60 } })
    const backend = createBridgedBackend(server, { heartbeatMs })
    const { client } = backend.openPage()
    void client.connect()
    await server.advance(600_000)
    expect(backend.requests.filter(({ method }) => method === 'GET')).toHaveLength(1)
  },
)
