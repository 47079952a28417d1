import { CLIENT_CAPABILITIES_META_KEY, isLegacyRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { isLegacyBody } from './isLegacyBody.js'

const CLAIM = { [PROTOCOL_VERSION_META_KEY]: '2026-07-28', [CLIENT_CAPABILITIES_META_KEY]: {} }
const METAS = [
  CLAIM,
  { [PROTOCOL_VERSION_META_KEY]: '2025-11-25' },
  { [PROTOCOL_VERSION_META_KEY]: 7 },
  {},
  'none',
  undefined,
]
const METHODS = ['tools/call', 'tasks/get', 'initialize', 'notifications/cancelled', '', 7, undefined]
const MEMBERS = [{}, { result: {} }, { error: { code: 1, message: 'no' } }, { jsonrpc: '1.0' }]
const VERSIONS = ['2026-07-28', '2025-11-25', undefined]

const bodies = METHODS.flatMap((method) =>
  METAS.flatMap((_meta) =>
    MEMBERS.flatMap((members) => {
      const body = { jsonrpc: '2.0', method, params: { _meta }, ...members }
      return [body, { ...body, id: 1 }, [body]]
    }),
  ),
)

describe('isLegacyBody()', () => {
  it.each(VERSIONS)('never disagrees with the SDK, with the header for %s', async (version) => {
    const headers = version === undefined ? {} : { 'mcp-protocol-version': version }
    const request = new Request('https://tasks.example/mcp', { method: 'POST', headers })
    const found = []
    for (const body of [...bodies, null, 'text', 7]) {
      found.push({ body, isLegacy: await isLegacyBody(request, body) })
    }
    const wanted = []
    for (const { body } of found) wanted.push({ body, isLegacy: await isLegacyRequest(request, body) })
    expect(found).toEqual(wanted)
  })
})
