import { type AuthInfo, requireBearerAuth } from '@modelcontextprotocol/server'
import { defineTool, InMemoryTaskStore, type TaskRecord } from 'taskwire/server'
import { describe, expect, it, vi } from 'vitest'
import { listenInVain } from '../server/support/listening.js'
import { readResponse, rpcRequest } from '../server/support/rpc.js'
import { startServer, type TestServerOptions } from '../server/support/serverUnderTest.js'
import { greet, slow, text } from '../server/support/tools.js'

const APP = 'https://app.example'
const INTERNAL = -32603

const authInfoOf = (token: string, extra: Record<string, unknown> = {}): AuthInfo => ({
  token,
  clientId: 'app',
  scopes: [],
  expiresAt: 4_102_444_800,
  extra,
})

/** Tokens are names of users. */
const requireToken = requireBearerAuth({
  verifier: {
    async verifyAccessToken(token) {
      return authInfoOf(token, { userId: token })
    },
  },
  resourceMetadataUrl: 'https://tasks.example/.well-known/oauth-protected-resource/mcp',
})

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}`, origin: APP } })

describe('the owner of a request', () => {
  class RecordingStore extends InMemoryTaskStore {
    readonly created: TaskRecord[] = []
    override create(record: TaskRecord): Promise<void> {
      this.created.push(record)
      return super.create(record)
    }
  }

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a promise of undefined', Promise.resolve(undefined)],
    ['an empty text', ''],
    ['a number', 7],
    ['the text that a template makes of undefined', `${undefined}`],
    ['the text that a template makes of null', `${null}`],
    ['the text that a template makes of an object', `${{}}`],
  ])('[EDGE-17] %s is no owner: the request is refused, and onError names the option', async (_, owner) => {
    const store = new RecordingStore()
    const t = startServer({ store, tools: [slow], owner: () => owner as string })
    const refusals = [
      await t.call('slow'),
      await t.rpc('tasks/get', { taskId: 'x' }),
      await t.rpc('tasks/update', { taskId: 'x', inputResponses: {} }),
      await t.rpc('tasks/cancel', { taskId: 'x' }),
      await listenInVain(t, { taskIds: ['x'] }),
    ]
    expect(refusals.map(({ error }) => error?.code)).toEqual(refusals.map(() => INTERNAL))
    expect(store.created).toEqual([])
    expect(t.errors).toHaveLength(refusals.length)
    for (const { error } of t.errors) {
      expect(error).toMatchObject({ name: 'TaskConfigurationError', message: expect.stringContaining('`owner`') })
    }
  })

  it('[EDGE-17] two tokens without a user id do not share their tasks', async () => {
    const t = startServer({
      tools: [slow],
      owner: (_request, authInfo) => `${authInfo?.extra?.['userId']}`,
    })
    const { error } = await t.call('slow', {}, { authInfo: authInfoOf('ann') })
    expect(error?.code).toBe(INTERNAL)
    const taskId = await t.start('slow', {}, { authInfo: authInfoOf('bob', { userId: 'bob' }) })
    expect((await t.rpc('tasks/get', { taskId }, { authInfo: authInfoOf('ann') })).error?.code).toBe(INTERNAL)
  })
})

describe('authenticate', () => {
  const start = (options: Partial<TestServerOptions> = {}) =>
    startServer({ tools: [slow, greet], cors: { origin: APP }, authenticate: requireToken, ...options })

  function preflight(): Request {
    const headers = {
      origin: APP,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    }
    return new Request('https://tasks.example/mcp', { method: 'OPTIONS', headers })
  }

  it('[EDGE-17] a preflight is answered before authenticate is asked', async () => {
    const authenticate = vi.fn(requireToken)
    const { server } = start({ authenticate })
    const { status, headers } = await server.fetch(preflight())
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(APP)
    expect(headers.get('access-control-allow-headers')).toContain('authorization')
    expect(authenticate).not.toHaveBeenCalled()
  })

  it.each([[{}], [{ authorization: 'Bearer ' }]])(
    '[EDGE-17] a page on another origin can read the 401 and where to sign in, with the headers %j',
    async (headers) => {
      const { server } = start()
      const request = rpcRequest('tools/call', { name: 'slow' }, { headers: { origin: APP, ...headers } })
      const response = await server.fetch(request)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toContain(
        'resource_metadata="https://tasks.example/.well-known/oauth-protected-resource/mcp"',
      )
      expect(response.headers.get('access-control-allow-origin')).toBe(APP)
      expect(response.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
    },
  )

  it('[EDGE-17] what authenticate returns reaches owner and tools, whatever came along with the request', async () => {
    const whoAmI = defineTool({
      ...slow,
      taskSupport: 'forbidden',
      handler: (_, { authInfo }) => text(`${authInfo?.token}`),
    })
    const t = start({ tools: [whoAmI], owner: (_request, authInfo) => authInfo?.extra?.['userId'] as string })
    const { result } = await t.call('slow', {}, { ...bearer('ann'), authInfo: authInfoOf('forged') })
    expect(result).toMatchObject(text('ann'))

    const tasks = start({ owner: (_request, authInfo) => authInfo?.extra?.['userId'] as string })
    const taskId = await tasks.start('slow', {}, bearer('ann'))
    expect(await tasks.get(taskId, bearer('ann'))).toMatchObject({ status: 'working' })
    expect((await tasks.rpc('tasks/get', { taskId }, bearer('bob'))).error?.code).toBe(-32602)
  })

  it.each(['GET', 'DELETE', 'OPTIONS', 'PUT'])('[EDGE-17] a %s without a token is refused, too', async (method) => {
    const { server } = start()
    const response = await server.fetch(new Request('https://tasks.example/mcp', { method, headers: { origin: APP } }))
    expect(response.status).toBe(401)
    expect(response.headers.get('access-control-allow-origin')).toBe(APP)
  })

  it('[EDGE-17] a refusal whose headers cannot be changed gets the headers for other origins', async () => {
    const { server } = start({ authenticate: async () => Response.redirect('https://sign-in.example/', 302) })
    const response = await server.fetch(rpcRequest('tools/list', {}, { headers: { origin: APP } }))
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe('https://sign-in.example/')
    expect(response.headers.get('access-control-allow-origin')).toBe(APP)
  })

  it.each([
    ['returns undefined', () => undefined],
    ['returns true', () => true],
    ['returns no token', () => ({ clientId: 'app' })],
    ['throws', () => Promise.reject(new Error('the identity provider is down'))],
  ])('[EDGE-17] nobody gets in where authenticate %s, and onError is told', async (_, authenticate) => {
    const t = start({ authenticate: authenticate as unknown as typeof requireToken })
    const response = await t.server.fetch(
      rpcRequest('tools/call', { name: 'greet', arguments: { name: 'Ann' } }, bearer('ann')),
    )
    expect(response.headers.get('access-control-allow-origin')).toBe(APP)
    expect(await readResponse(response)).toMatchObject({ status: 500, error: { code: INTERNAL } })
    expect(t.errors).toMatchObject([{ context: { source: 'server' } }])
  })
})
