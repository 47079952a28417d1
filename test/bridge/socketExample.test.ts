import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { createTaskClient } from 'taskwire'
import { afterAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { PATIENCE } from '../support/patience.js'

/** The example listens to a port of its own. Here it gets a free one. */
const { servers } = vi.hoisted(() => ({ servers: [] as Server[] }))
vi.mock('express', async (original) => {
  const { default: express } = await original<{ default: () => RequestListener }>()
  const listen = (app: RequestListener) => {
    const http = createServer(app).listen(0, '127.0.0.1')
    servers.push(http)
    return http
  }
  return {
    default: () => {
      const app = express()
      return Object.assign(app, { listen: () => listen(app) })
    },
  }
})
vi.mock('../../docs/examples/backendClients.js', () => ({
  clientOfUser: (user: string) => (user === 'ada' ? client : undefined),
}))
const client = createTaskClient({ url: 'http://localhost/mcp', storage: 'memory', crossTab: false })

afterAll(() => {
  for (const http of servers) http.close()
})

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='

it.each([
  ['//', 'localhost'],
  ['http://a:b@c/', 'localhost'],
  ['/api/calls', 'a b'],
])('the backend of the example outlives a request for a socket of %s at %s', async (target, host) => {
  await import('../../docs/examples/backendSocket.js')
  const [http = expect.fail()] = servers
  await vi.waitFor(() => expect(http.listening).toBe(true), PATIENCE)
  const { port } = http.address() as AddressInfo
  const stranger = connect(port, '127.0.0.1')
  const ended = new Promise((resolve) => stranger.on('close', resolve))
  stranger.on('error', () => {})
  stranger.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${UPGRADE}\r\n\r\n`)
  await ended
  // Whoever comes after that is answered: this one is not signed in.
  const next = new WebSocket(`ws://127.0.0.1:${port}/api/calls`)
  const said = new Promise((resolve) => next.on('message', (data) => resolve(JSON.parse(`${data}`))))
  expect(await said).toMatchObject({ refused: { status: 401 } })
  next.terminate()
})

it.each([
  ['/api/calls', [{ refused: { status: 403 } }]],
  ['//evil.example/api/calls', []],
])('a page of another site gets no news by a socket of %s', async (path, expected) => {
  await import('../../docs/examples/backendSocket.js')
  const [http = expect.fail()] = servers
  await vi.waitFor(() => expect(http.listening).toBe(true), PATIENCE)
  const { port } = http.address() as AddressInfo
  const headers = { 'x-user': 'ada', 'sec-fetch-site': 'cross-site' }
  const page = new WebSocket(`ws://127.0.0.1:${port}${path}`, { origin: 'https://evil.example', headers })
  const said: unknown[] = []
  page.on('message', (data) => said.push(JSON.parse(`${data}`)))
  page.on('error', () => {})
  await new Promise((resolve) => page.on('close', resolve))
  expect(said).toMatchObject(expected)
  expect(said).toHaveLength(expected.length)
})
