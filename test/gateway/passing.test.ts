import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PNG, WAV } from '../../demo/server/fixtures/content.js'
import { settle } from '../server/support/manualClock.js'
import type { Json } from '../server/support/rpc.js'
import { startGateway } from './support.js'

const META = { 'com.example/page': { id: 7, tags: ['a', 'b'] } }

const DESCRIBED = {
  title: 'Describe',
  description: 'Has everything that a tool can have.',
  annotations: { title: 'Describes', readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  icons: [{ src: 'https://tools.example/describe.svg', mimeType: 'image/svg+xml', sizes: ['any'] }],
  _meta: { ui: { resourceUri: 'ui://describe' } },
}

/** A result with every kind of content. */
const EVERYTHING: CallToolResult = {
  content: [
    { type: 'text', text: 'a text', annotations: { audience: ['user'], priority: 0.5 } },
    { type: 'image', data: PNG, mimeType: 'image/png', _meta: { 'com.example/width': 1 } },
    { type: 'audio', data: WAV, mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'files://report', name: 'report', title: 'Report', mimeType: 'text/csv', size: 12 },
    { type: 'resource', resource: { uri: 'files://notes', mimeType: 'text/plain', text: 'notes' } },
    { type: 'resource', resource: { uri: 'files://pixel', mimeType: 'image/png', blob: PNG } },
  ],
  structuredContent: { rows: [{ a: 1 }, { a: null }], total: 2 },
  _meta: META,
}

/** A server behind whose tools return a result at once, or in the time that a task takes. */
function results(server: McpServer) {
  const outputSchema = z.object({ rows: z.array(z.looseObject({})), total: z.number() })
  server.registerTool('describe', { ...DESCRIBED, outputSchema }, () => EVERYTHING)
  server.registerTool('refuse', {}, () => ({ ...EVERYTHING, isError: true }))
}

describe('what the gateway passes on', () => {
  it('is everything that a tool says of itself', async () => {
    const { rpc, started } = startGateway(results)
    const { result } = await rpc('tools/list', {})
    expect(started).toHaveLength(1)
    const [tool] = (result?.['tools'] ?? []) as readonly Json[]
    expect(tool).toMatchObject({ name: 'describe', ...DESCRIBED })
    expect(tool?.['outputSchema']).toMatchObject({
      type: 'object',
      properties: { rows: { type: 'array' }, total: { type: 'number' } },
      required: ['rows', 'total'],
    })
  })

  it.each([
    ['describe', EVERYTHING],
    ['refuse', { ...EVERYTHING, isError: true }],
  ])('is every kind of content, and _meta, of a result: %s', async (name, expected) => {
    const { call } = startGateway(results)
    const { _meta, resultType, ...result } = (await call(name)).result ?? {}
    expect({ ...result, _meta: META }).toEqual(expected)
    expect(_meta).toMatchObject(META)
    expect(resultType).toBe('complete')
  })

  it('is the same in the result of a task', async () => {
    const { start, get } = startGateway(results, { tasks: ['describe'] })
    const taskId = await start('describe', {}, 0)
    await settle()
    const { status, result } = await get(taskId)
    expect(status).toBe('completed')
    expect(result).toMatchObject(EVERYTHING)
  })
})
