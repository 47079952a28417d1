import { describe, expect, it, vi } from 'vitest'
import { createScriptedServer, type Reply, result, silence } from '../../../../test/support/scriptedServer.js'
import { browserEnvironment } from '../../environment/browserEnvironment.js'
import { IDEMPOTENCY_KEY_META } from '../../protocol/extension.js'
import type { InputRequest, InputResponse } from '../../protocol/inputRequest.js'
import { createLiteConnection } from './liteConnection.js'

const FORM = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: {} } }
const asks = (members: Record<string, unknown>): Reply => result({ resultType: 'input_required', ...members })
const done = result({ content: [] })

type Ask = (key: string) => Promise<InputResponse>

function setUp(...replies: [Reply, ...Reply[]]) {
  const server = createScriptedServer()
  server.on('tools/call', ...replies)
  const connection = createLiteConnection({
    endpoint: () => new URL('https://tasks.example/mcp'),
    url: 'https://tasks.example/mcp',
    headers: undefined,
    fetch: server.fetch,
    clientInfo: { name: 'app', version: '1' },
    capabilities: { elicitation: { form: {} } },
    callTimeoutMs: 3_600_000,
    // A pause is over at once.
    environment: { ...browserEnvironment(), setTimeout: (run, ms) => (ms < 1000 ? queueMicrotask(run) : undefined) },
    onState: () => {},
    onIssue: () => {},
  })
  const call = (ask: Ask) => {
    const { signal } = new AbortController()
    const beforeSend = () => Promise.resolve(undefined)
    return connection.callTool({ name: 'report' }, { ask, signal, beforeSend, onProgress: () => {} })
  }
  const sent = () => server.received('tools/call').map(({ params: { _meta, name, ...params } }) => params)
  return { call, sent, server, connection }
}

describe('the connection of taskwire/lite', () => {
  const hooks = (key: string | undefined) => ({
    beforeSend: () => Promise.resolve(key),
    ask: () => new Promise<never>(() => {}),
    signal: new AbortController().signal,
    onProgress: () => {},
  })
  const metaOf = ({ server }: ReturnType<typeof setUp>) => server.received('tools/call').at(-1)?.params['_meta']

  it('puts the key of a call beside what the app adds', async () => {
    const world = setUp(done)
    await world.connection.callTool({ name: 'report', meta: () => ({ trace: 'x' }) }, hooks('key'))
    expect(metaOf(world)).toMatchObject({ trace: 'x', [IDEMPOTENCY_KEY_META]: 'key' })
    await world.connection.callTool({ name: 'report' }, hooks('other'))
    expect(metaOf(world)).toMatchObject({ [IDEMPOTENCY_KEY_META]: 'other' })
    await world.connection.callTool({ name: 'report' }, hooks(undefined))
    expect(metaOf(world)).not.toHaveProperty([IDEMPOTENCY_KEY_META])
  })

  it('misses what it does not declare', () => {
    const { connection } = setUp(done)
    expect(connection.missingCapability({ method: 'roots/list', params: {} })).toBe('roots')
    expect(connection.missingCapability(FORM as InputRequest)).toBeUndefined()
  })

  it('is made once, and ends what is open when it is closed', async () => {
    const { connection, server } = setUp(silence)
    const call = connection.callToolRaw({ name: 'report' }, undefined)
    const failure = call.catch((error: unknown) => error)
    await connection.listTools()
    await connection.listTools()
    expect(server.received('server/discover')).toHaveLength(1)
    await connection.close()
    expect(await failure).toBeInstanceOf(Error)
  })
})

describe('a tools/call that the server answers by asking', () => {
  it('goes out again with the responses of that round, and the state of that round', async () => {
    const { call, sent } = setUp(
      asks({ inputRequests: { a: FORM, b: FORM }, requestState: 'one' }),
      asks({ inputRequests: { c: FORM } }),
      done,
    )
    await call((key) => Promise.resolve({ action: 'accept', content: { key } }))
    const accepted = (key: string) => ({ [key]: { action: 'accept', content: { key } } })
    expect(sent()).toEqual([
      { arguments: {} },
      { arguments: {}, inputResponses: { ...accepted('a'), ...accepted('b') }, requestState: 'one' },
      { arguments: {}, inputResponses: accepted('c') },
    ])
  })

  it('goes out again by itself where only the server has something to keep', async () => {
    const { call, sent } = setUp(asks({ requestState: 'wait' }), done)
    const ask = vi.fn()
    await call(ask)
    expect(ask).not.toHaveBeenCalled()
    expect(sent()).toEqual([{ arguments: {} }, { arguments: {}, requestState: 'wait' }])
  })

  it('is given up after ten rounds, and nobody is asked an eleventh time', async () => {
    const { call, sent } = setUp(asks({ inputRequests: { a: FORM } }))
    const ask = vi.fn(() => Promise.resolve({ action: 'decline' }))
    await expect(call(ask)).rejects.toMatchObject({ name: 'TaskStuckError' })
    expect(ask).toHaveBeenCalledTimes(10)
    expect(sent()).toHaveLength(11)
  })

  it.each([
    ['that names nothing', {}],
    ['by what is no input request', { inputRequests: { a: { method: 'elicitation/create' } } }],
  ])('%s, is against the protocol', async (_, members) => {
    const { call } = setUp(asks(members))
    await expect(call(() => new Promise(() => {}))).rejects.toMatchObject({ name: 'TaskProtocolError' })
  })

  it('asks nobody for the rest where one of the responses fails', async () => {
    const { call } = setUp(asks({ inputRequests: { a: FORM, b: FORM } }))
    const aborted: unknown[] = []
    const connectionCall = call(((key: string, _: unknown, signal: AbortSignal) => {
      signal.addEventListener('abort', () => aborted.push(key))
      return key === 'a' ? Promise.reject(new Error('no')) : new Promise(() => {})
    }) as Ask)
    await expect(connectionCall).rejects.toMatchObject({ name: 'ToolCallInterruptedError' })
    expect(aborted).toEqual(['a', 'b'])
  })
})
