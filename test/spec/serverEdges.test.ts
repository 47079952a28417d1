import { type AuthInfo, requireBearerAuth } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from 'taskwire'
import { createTaskServer, type TaskServerOptions } from 'taskwire/server'
import { createTestServer } from 'taskwire/testing'
import { describe, expect, it, vi } from 'vitest'
import { listen, SUBSCRIPTION } from '../server/support/listening.js'
import { type Json, rpcRequest, TASKS, TASKS_AND_INPUT } from '../server/support/rpc.js'
import { startServer } from '../server/support/serverUnderTest.js'
import { SharedStore } from '../server/support/silentStore.js'
import { ask, slow } from '../server/support/tools.js'

const APP = 'https://app.example'
const tools = [ask, slow]

/** A request to this URL, as a page sends it. */
async function pageRequest(url: string, headers: Record<string, string>, method = 'POST'): Promise<Request> {
  const sent = rpcRequest('tools/list', {})
  const body = method === 'POST' ? { body: await sent.text() } : {}
  return new Request(url, { method, headers: { ...Object.fromEntries(sent.headers), ...headers }, ...body })
}

async function statusOf(
  cors: TaskServerOptions['cors'],
  origin: string,
  { url = 'https://tasks.example/mcp', headers = {} }: { url?: string; headers?: Record<string, string> } = {},
): Promise<number> {
  const { server } = startServer({ tools, ...(cors !== undefined && { cors }) })
  const response = await server.fetch(await pageRequest(url, { origin, ...headers }))
  await response.body?.cancel()
  return response.status
}

describe('a request of a page', () => {
  it.each([undefined, false, { origin: [] }, { origin: 'https://other.example' }] as const)(
    '[EDGE-49] [SERVER-CORE-ORIGIN] is refused with 403 where its origin is foreign and cors is %j',
    async (cors) => {
      const t = startServer({ tools, ...(cors !== undefined && { cors }) })
      const refused = [
        await t.call('slow', {}, { headers: { origin: APP } }),
        await t.rpc('tasks/get', { taskId: 'x' }, { headers: { origin: APP } }),
        await t.call('slow', {}, { headers: { origin: 'null' } }),
      ]
      expect(refused.map(({ status, error }) => [status, error?.code])).toEqual(refused.map(() => [403, -32000]))
      expect(refused[0]?.error?.message).toContain('`cors`')
      expect(refused[0]?.headers.get('access-control-allow-origin')).toBeNull()
      const others = ['GET', 'DELETE', 'OPTIONS'].map(async (method) =>
        t.server.fetch(await pageRequest('https://tasks.example/mcp', { origin: APP }, method)),
      )
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([403, 403, 403])
    },
  )

  it('[EDGE-49] [SERVER-CORE-ORIGIN] is refused before anybody looks at its token', async () => {
    const verifyAccessToken = vi.fn(
      async (token: string): Promise<AuthInfo> => ({ token, clientId: 'app', scopes: [] }),
    )
    const authenticate = requireBearerAuth({ verifier: { verifyAccessToken } })
    const t = startServer({ tools, authenticate })
    const headers = { origin: APP, authorization: 'Bearer ann' }
    expect((await t.call('slow', {}, { headers })).status).toBe(403)
    expect(verifyAccessToken).not.toHaveBeenCalled()
  })

  it('[EDGE-49] [SERVER-CORE-ORIGIN] is served where cors names its origin, or every origin', async () => {
    expect(await statusOf({ origin: [APP] }, APP)).toBe(200)
    expect(await statusOf(true, APP)).toBe(200)
    expect(await statusOf(true, 'null')).toBe(200)
  })

  it.each([
    ['over TLS', 'https://tasks.example', 'https://tasks.example/mcp'],
    ['over TLS that ends at a proxy', 'https://tasks.example', 'http://tasks.example/mcp'],
    ['on this machine', 'http://localhost:5173', 'http://localhost:5173/mcp'],
    ['at an address', 'http://192.168.1.7:3000', 'http://192.168.1.7:3000/mcp'],
    ['at an address of IPv6', 'http://[::1]:3000', 'http://[::1]:3000/mcp'],
  ])(
    '[EDGE-49] [SERVER-CORE-ORIGIN] is served without cors where it is of the own origin of the server, %s',
    async (_, origin, url) => {
      expect(await statusOf(undefined, origin, { url })).toBe(200)
    },
  )

  it('[EDGE-49] [SERVER-CORE-ORIGIN] is served behind a proxy that names another host, where the browser says that the origins are the same', async () => {
    const url = 'http://backend:3000/mcp'
    expect(await statusOf(undefined, APP, { url, headers: { 'sec-fetch-site': 'same-origin' } })).toBe(200)
    expect(await statusOf(undefined, APP, { url, headers: { 'sec-fetch-site': 'same-site' } })).toBe(403)
  })

  it('[EDGE-49] [SERVER-CORE-ORIGIN] is refused where a foreign name was made to point to the server (DNS rebinding), unless cors names it', async () => {
    const rebound = 'http://evil.example:3000'
    expect(await statusOf(undefined, rebound, { url: `${rebound}/mcp` })).toBe(403)
    expect(await statusOf({ origin: 'http://tools.intranet' }, rebound, { url: `${rebound}/mcp` })).toBe(403)
    expect(await statusOf({ origin: rebound }, rebound, { url: `${rebound}/mcp` })).toBe(200)
  })
})

describe('a subscription', () => {
  it('[EDGE-49] [SERVER-CORE-TORN-DOWN] is cancelled by a server that closes while another one may go on with its task', async () => {
    const t = startServer({ tools: [{ ...ask, onOrphan: 'retry' }], store: new SharedStore() })
    const stream = await listen(t, { taskIds: [await t.start('ask')] })
    await stream.messages()
    await t.server.close()
    const messages = await stream.messages()
    const id = messages.at(-1)?.['id']
    expect(messages.slice(-2)).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: id, _meta: { [SUBSCRIPTION]: id } } },
      { id, result: { resultType: 'complete' } },
    ])
    expect(await stream.ended()).toBe(true)
  })

  it('[EDGE-49] [SERVER-CORE-TORN-DOWN] is not cancelled where its tasks are over', async () => {
    const t = startServer({ tools })
    const stream = await listen(t, { taskIds: [await t.start('slow')] })
    await t.clock.advance(1000)
    expect(await stream.ended()).toBe(true)
    expect((await stream.messages()).map(({ method }) => method)).not.toContain('notifications/cancelled')
  })
})

describe('an input request', () => {
  const URL_ONLY: Json = { ...TASKS, elicitation: { url: {} } }

  it.each([
    ['declares no input', TASKS],
    ['declares pages only', URL_ONLY],
  ])(
    '[EDGE-49] [SERVER-CORE-INPUT-DECLARED] is not shown by tasks/get to a client that %s',
    async (_, capabilities) => {
      const t = startServer({ tools })
      const taskId = await t.start('ask')
      expect(await t.get(taskId, { capabilities })).toMatchObject({ status: 'input_required', inputRequests: {} })
      const shown = (await t.get(taskId, { capabilities: TASKS_AND_INPUT }))['inputRequests']
      expect(Object.keys(shown as Json)).toEqual(['elicitation-1'])
    },
  )

  it('[EDGE-49] [SERVER-CORE-INPUT-DECLARED] is not pushed to a client that has not declared it with the subscription', async () => {
    const t = startServer({ tools })
    const stream = await listen(t, { taskIds: [await t.start('ask')] }, { capabilities: TASKS })
    const pushed = (await stream.messages()).filter(({ method }) => method === 'notifications/tasks')
    expect(pushed).toMatchObject([{ params: { status: 'input_required', inputRequests: {} } }])
  })
})

describe('the name of a tool', () => {
  it.each(['my tool', 'a,b', 'straße', '-x', 'x.', 'a/b', 'x'.repeat(129)])(
    '[EDGE-53] %j is refused when the server is created, instead of a warning with every request',
    (name) => {
      const create = () => createTaskServer({ serverInfo: { name: 'test', version: '1' }, tools: [{ ...slow, name }] })
      expect(create).toThrow(TaskConfigurationError)
      expect(create).toThrow(/letters of ASCII, digits, underscores, dashes and dots/)
    },
  )

  it.each(['x', 'a.b-c_d', '_x', 'x'.repeat(128)])('[EDGE-53] %j is taken without a warning', async (name) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const t = startServer({ tools: [{ ...slow, name }] })
    await t.start(name)
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
  })
})

describe('faults of the test server', () => {
  it("[EDGE-53] drop({ lose: 'answer' }) says what `lose` may be", async () => {
    const server = createTestServer({ tools: [slow] })
    expect(() => server.faults.drop({ lose: 'answer' as 'response' })).toThrow(
      "Failed to drop requests: `lose` is \"answer\". Pass 'request' or 'response'.",
    )
    await server.close()
  })
})
