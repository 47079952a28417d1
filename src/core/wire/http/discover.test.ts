import { describe, expect, it } from 'vitest'
import { ConnectionFailedError } from '../../protocol/errors.js'
import { SERVER_INFO_META, UNSUPPORTED_VERSION } from '../../protocol/extension.js'
import type { JsonObject } from '../../protocol/json.js'
import { HttpError, RpcError, WireError } from '../wireErrors.js'
import { discover } from './discover.js'
import type { LiteRequests } from './liteRequests.js'

const URL_ = 'https://tasks.example/mcp'
const OURS = '2026-07-28'
const found = (more: JsonObject = {}): JsonObject => ({
  supportedVersions: [OURS],
  capabilities: { tools: {} },
  ...more,
})
const refusal = (supported: unknown, code = UNSUPPORTED_VERSION) => new RpcError(code, 'another version', { supported })

/** What comes of it where the server gives these answers, one after the other. */
async function discovered(...answers: (JsonObject | Error)[]) {
  const asked: unknown[][] = []
  const requestInTime: LiteRequests['requestInTime'] = async (method, params) => {
    asked.push([method, params])
    const answer = answers[asked.length - 1] ?? new Error('Asked too often.')
    if (answer instanceof Error) throw answer
    return answer
  }
  const requests: LiteRequests = {
    listedHeaders: new Map(),
    requestInTime,
    request: Promise.reject,
    listen: Promise.reject,
    close: () => {},
  }
  const outcome = await discover(requests, URL_).then(
    (server) => ({ server }),
    (error: unknown) => ({ error }),
  )
  return { ...outcome, asked }
}

describe('discover()', () => {
  it('asks once, for what the server says about itself', async () => {
    const info = { name: 'tasks', version: '2', title: 'Tasks' }
    expect(await discovered(found({ _meta: { [SERVER_INFO_META]: info } }))).toEqual({
      server: { capabilities: { tools: {} }, server: { name: 'tasks', version: '2' } },
      asked: [['server/discover', {}]],
    })
  })

  it.each([
    ['nothing', {}],
    ['what is no object', { [SERVER_INFO_META]: 'tasks' }],
    ['no version', { [SERVER_INFO_META]: { name: 'tasks' } }],
    ['no name', { [SERVER_INFO_META]: { version: '2' } }],
  ])('takes a server that says %s about itself', async (_, _meta) => {
    const answer = await discovered(found({ _meta, capabilities: 'many' }))
    expect(answer).toMatchObject({ server: { server: undefined } })
    expect(answer).toHaveProperty('server.capabilities', {})
  })

  it('takes it for malformed where the versions are no list', async () => {
    expect(await discovered(found({ supportedVersions: OURS }))).toMatchObject({ error: { code: 'INVALID_RESULT' } })
  })

  it('says that the server speaks other versions', async () => {
    const { error } = (await discovered(found({ supportedVersions: ['2025-11-25'] }))) as { error: Error }
    expect(error).toBeInstanceOf(ConnectionFailedError)
    expect(error.message).toMatch(/does not speak MCP 2026-07-28\. .* import \{ createTaskClient \} from 'taskwire'/)
  })

  it('asks once more where the server refuses the version, and names the same one', async () => {
    const { server, asked } = (await discovered(refusal([OURS]), found())) as { server?: unknown; asked: unknown[] }
    expect(server).toBeDefined()
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['other versions', refusal(['2025-11-25'])],
    ['no list of versions', refusal(OURS)],
    ['the version in another error', refusal([OURS], -32602)],
    ['nothing', new RpcError(UNSUPPORTED_VERSION, 'no', undefined)],
  ])('does not ask again where a refusal names %s, and says what to import', async (_, cause) => {
    const { error, asked } = (await discovered(cause)) as { error: Error; asked: unknown[] }
    expect(asked).toHaveLength(1)
    expect(error).toBeInstanceOf(ConnectionFailedError)
    expect(error.message).toMatch(/answered with the error .* import \{ createTaskClient \}/)
    expect(error.cause).toBe(cause)
  })

  const rpcText = JSON.stringify({ error: { code: -32601, message: 'no such method' } })
  it.each([
    ['the network breaks', new TypeError('fetch failed')],
    ['a gateway answers in JSON-RPC', new HttpError(503, rpcText)],
    ['credentials are asked for in JSON-RPC', new HttpError(401, rpcText)],
    ['it answers what is no MCP', new WireError('INVALID_RESULT', 'no')],
    ['it is no such page', new HttpError(404, 'Not Found')],
  ])('leaves the error alone where %s', async (_, error) => {
    expect(await discovered(error)).toMatchObject({ error })
    expect(((await discovered(error)) as { error: unknown }).error).toBe(error)
  })
})
