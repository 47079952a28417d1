import type { OAuthClientProvider, OAuthTokens } from '@modelcontextprotocol/client'
import { createSimulatedEnvironment, type TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { created, createScriptedServer, http, snapshot } from '../../../test/support/scriptedServer.js'
import { createTokenServer } from '../../../test/support/tokenServer.js'
import { createWorkServer } from '../../../test/support/workServer.js'
import { createTaskClient } from '../../sdk/createTaskClient.js'
import type { TaskClientUrlOptions } from '../../sdk/sdkOptions.js'
import type { Environment, Locks } from '../environment/environment.js'
import type { TaskClient } from './taskClient.js'

const LONG = { name: 'work', arguments: { seconds: 600, quiet: true } }

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
})

function open(options: Partial<TaskClientUrlOptions> = {}, changes: Partial<Environment> = {}): TaskClient {
  const environment = { ...server.browser.openPage().environment, ...changes }
  return createTaskClient({ url: server.url, environment, ...options })
}

describe('batchUpdates', () => {
  /** How long after each other a subscriber is called, in ms, while each poll brings progress after 5 ms. */
  async function gapsOfCalls(options: Partial<TaskClientUrlOptions>): Promise<Set<number>> {
    const page = createSimulatedEnvironment({ turns: 60 })
    const { environment, now } = page
    const scripted = createScriptedServer({ now })
    const progress = () => ({ lastUpdatedAt: new Date(now()).toISOString(), statusMessage: `at ${now()}` })
    scripted.on('tools/call', created({ pollIntervalMs: 5 }))
    scripted.on('tasks/get', (request) => snapshot({ pollIntervalMs: 5, ...progress() })(request))
    const client = createTaskClient({
      url: 'https://tasks.example/mcp',
      transportOptions: { fetch: scripted.fetch },
      environment,
      poll: { minIntervalMs: 5 },
      push: false,
      ...options,
    })
    const call = client.startToolCall({ name: 'report' })
    await page.advance(100)
    const times: number[] = []
    call.subscribe(() => times.push(now()))
    await page.advance(200)
    return new Set(times.slice(1).map((at, index) => at - (times[index] ?? 0)))
  }

  it.each([
    [undefined, 16],
    [true, 16],
    [false, 5],
  ])('%s has a subscriber called with progress every so many ms: %i', async (batchUpdates, gap) => {
    expect(await gapsOfCalls(batchUpdates === undefined ? {} : { batchUpdates })).toEqual(new Set([gap]))
  })
})

describe('onError', () => {
  it('is called with what the connection fails with', async () => {
    const onError = vi.fn()
    const fetch = () => Promise.reject(new TypeError('fetch failed'))
    const client = open({ onError, retry: { connectAttempts: 1 }, transportOptions: { fetch } })
    const failure = client.connect().catch((error: unknown) => error)
    await server.advance(1000)
    expect(onError.mock.calls).toEqual([[await failure, { operation: 'connect' }]])
    expect(await failure).toMatchObject({ name: 'ConnectionFailedError' })
  })

  it('is not called by a connection that comes about', async () => {
    const onError = vi.fn()
    await Promise.all([open({ onError }).connect(), server.advance(100)])
    expect(onError).not.toHaveBeenCalled()
  })

  it('is called where the browser refuses its locks', async () => {
    const onError = vi.fn()
    const refusal = new DOMException('The document is sandboxed.', 'SecurityError')
    open({ onError }, { locks: { request: () => Promise.reject(refusal) } }).startToolCall(LONG, { key: 'k' })
    await server.advance(500)
    expect(onError.mock.calls).toEqual([[refusal, { operation: 'storage' }]])
  })

  it.each(['locks', 'channel'] as const)('is not called in a browser without %s', async (missing) => {
    const onError = vi.fn()
    const call = open({ onError }, { [missing]: undefined }).startToolCall(LONG, { key: 'k' })
    await server.advance(1500)
    expect(call.getState().phase).toBe('working')
    expect(onError).not.toHaveBeenCalled()
  })
})

describe('resume', () => {
  it.each([
    ['eager', 1],
    ['lazy', 2],
  ] as const)('%s: the tabs elect for two tasks as many leaders: %i', async (resume, leaders) => {
    const { environment } = server.browser.openPage()
    const locks = environment.locks as Locks
    const request = vi.spyOn(locks, 'request')
    const client = open({ resume }, { ...environment, locks })
    client.startToolCall(LONG)
    client.startToolCall(LONG)
    await server.advance(2500)
    const names = request.mock.calls.map(([name]) => name).filter((name) => name.includes(':leader'))
    expect(new Set(names).size).toBe(leaders)
  })

  it.each([
    ['eager', ['working']],
    ['lazy', []],
  ] as const)('%s: connect() shows what an earlier visit has left: %j', async (resume, phases) => {
    const earlier = open({ crossTab: false })
    earlier.startToolCall(LONG)
    await server.advance(500)
    await earlier.close()
    const client = open({ resume, crossTab: false })
    await Promise.all([client.connect(), server.advance(0)])
    expect(Object.values(client.store.getState().calls).map(({ phase }) => phase)).toEqual(phases)
  })

  it.each([
    ['', () => {}],
    [', also where its handle is read', (client: TaskClient, callId: string) => void client.getToolCall(callId)],
  ])('lazy: a task is not polled while nobody waits for it%s', async (_, read) => {
    const client = open({ resume: 'lazy' })
    const call = client.startToolCall(LONG)
    call.result.catch(() => {})
    await server.advance(1500)
    call.detach()
    read(client, call.callId)
    const before = server.count('tasks/get')
    await server.advance(10_000)
    expect(server.count('tasks/get')).toBe(before)
  })

  it('lazy: a task that was left is followed again while somebody waits for the result of its handle', async () => {
    const client = open({ resume: 'lazy' })
    const { callId, result, detach } = client.startToolCall(LONG)
    result.catch(() => {})
    await server.advance(1500)
    detach()
    await server.advance(10_000)
    const again = client.getToolCall(callId)
    const left = again?.result.catch((error: Error) => error.name)
    const before = server.count('tasks/get')
    await server.advance(5000)
    expect(server.count('tasks/get')).toBeGreaterThan(before)
    again?.detach()
    await expect(left).resolves.toBe('AbortError')
    await server.advance(100)
    const then = server.count('tasks/get')
    await server.advance(10_000)
    expect(server.count('tasks/get')).toBe(then)
    const ended = client.getToolCall(callId)?.result
    await server.advance(700_000)
    await expect(ended).resolves.toMatchObject({ structuredContent: { seconds: 600 } })
  })

  it('lazy: a handle that nobody has waited for can be detached, and its task is not polled for that', async () => {
    const client = open({ resume: 'lazy' })
    const { callId, result, detach } = client.startToolCall(LONG)
    result.catch(() => {})
    await server.advance(1500)
    detach()
    await server.advance(10_000)
    const before = server.count('tasks/get')
    const handle = client.getToolCall(callId)
    handle?.detach()
    await server.advance(10_000)
    expect(server.count('tasks/get')).toBe(before)
    await expect(handle?.result).rejects.toMatchObject({ name: 'AbortError' })
  })
})

it.each([
  ['comes to nothing', 'error=access_denied', 'rejected', 0],
  ['succeeds', 'code=c', 'authorized', 1],
])(
  'a sign-in that %s: %s is %s, and so many polls come before the end of their backoff: %i',
  async (_, answer, outcome, polls) => {
    const page = createSimulatedEnvironment({ turns: 80 })
    const scripted = createScriptedServer({ now: page.now })
    scripted.on('tools/call', created())
    scripted.on('tasks/get', http(503))
    const authorization = createTokenServer(scripted)
    authorization.valid = new Set(['token'])
    let tokens: OAuthTokens = { access_token: 'token', token_type: 'Bearer' }
    const authProvider: OAuthClientProvider = {
      redirectUrl: 'https://app.example/callback',
      clientMetadata: { redirect_uris: ['https://app.example/callback'] },
      clientInformation: () => ({ client_id: 'app' }),
      tokens: () => tokens,
      saveTokens: (given) => {
        tokens = given
      },
      redirectToAuthorization: () => {},
      saveCodeVerifier: () => {},
      codeVerifier: () => 'verifier',
    }
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const client = createTaskClient({
      url: 'https://tasks.example/mcp',
      authProvider,
      transportOptions: { fetch: authorization.fetch },
      environment: page.environment,
    })
    client.startToolCall({ name: 'report' })
    await page.advance(60_000)
    const before = scripted.received('tasks/get').length
    const finished = client.finishAuthorization(`https://app.example/callback?${answer}`).catch(() => 'rejected')
    await page.advance(1)
    await expect(finished).resolves.toBe(outcome)
    await page.advance(1000)
    expect(before).toBeGreaterThan(3)
    expect(scripted.received('tasks/get').length - before).toBe(polls)
  },
)

it('tasks.update() responds to what a task asks for', async () => {
  const client = open()
  const raw = client.callToolRaw({ name: 'ask', arguments: { questions: ['Sure?'] } })
  await server.advance(100)
  const { task } = (await raw) as Extract<Awaited<typeof raw>, { type: 'task' }>
  const asked = await client.tasks.get(task.taskId)
  const [inputKey = ''] = Object.keys('inputRequests' in asked ? asked.inputRequests : {})
  await client.tasks.update(task.taskId, { [inputKey]: { action: 'accept', content: { ok: true } } })
  await server.advance(100)
  expect(await client.tasks.get(task.taskId)).toMatchObject({
    status: 'completed',
    result: { content: [{ text: '[{"action":"accept","content":{"ok":true}}]' }] },
  })
})
