import { expect, it } from 'vitest'
import { createScriptedServer } from '../../../../test/support/scriptedServer.js'
import { createSimulatedEnvironment } from '../../../tools/testing/simulatedEnvironment.js'
import { DEFAULT_POLL_POLICY } from '../../time/policy.js'
import { createLiteConnection } from './liteConnection.js'

const URL_ = 'https://tasks.example/mcp'

it('the connection of taskwire/lite is tried again when the server wants that, and not before', async () => {
  const page = createSimulatedEnvironment()
  const start = page.now()
  const server = createScriptedServer({ now: page.now })
  const busy = [new Response(null, { status: 503, headers: { 'Retry-After': '7' } })]
  const connection = createLiteConnection({
    endpoint: () => new URL(URL_),
    url: URL_,
    headers: undefined,
    fetch: async (url, init) => busy.pop() ?? server.fetch(url, init),
    clientInfo: { name: 'app', version: '1' },
    capabilities: {},
    callTimeoutMs: 3_600_000,
    environment: page.environment,
    onState: () => {},
    onIssue: () => {},
    retry: { attempts: 3, policy: DEFAULT_POLL_POLICY, environment: page.environment },
  })
  const connecting = connection.connectForApp()
  await page.advance(60_000)
  await connecting
  expect(server.times('server/discover', start)).toEqual([7000])
})
