import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../protocol/json.js'
import { listTools } from './listTools.js'
import type { LiteRequests } from './liteRequests.js'

const tool = (name: string, properties: JsonObject = {}) => ({ name, inputSchema: { type: 'object', properties } })
const withoutEnd = (): JsonObject => {
  let deep: JsonObject = {}
  for (let level = 0; level < 2000; level++) deep = { deep }
  return deep
}

/** What comes of it where the server answers with these pages, the last one again and again. */
async function listed(capabilities: JsonObject, ...pages: JsonObject[]) {
  const asked: JsonObject[] = []
  const requestInTime: LiteRequests['requestInTime'] = async (method, params) => {
    asked.push({ method, ...params })
    return pages[asked.length - 1] ?? pages.at(-1) ?? {}
  }
  const requests: LiteRequests = {
    listedHeaders: new Map(),
    requestInTime,
    request: Promise.reject,
    listen: Promise.reject,
    close: () => {},
  }
  const outcome = await listTools(requests, capabilities).then(
    (tools) => ({ tools }),
    (error: unknown) => ({ error }),
  )
  return { ...outcome, asked }
}

describe('listTools() of taskwire/lite', () => {
  it('reads page after page', async () => {
    const pages = [{ tools: [tool('a'), tool('b')], nextCursor: 'two' }, { tools: [tool('c')] }]
    expect(await listed({ tools: {} }, ...pages)).toStrictEqual({
      tools: [tool('a'), tool('b'), tool('c')],
      asked: [{ method: 'tools/list' }, { method: 'tools/list', cursor: 'two' }],
    })
  })

  it('ends where a page is the one before again, with the same cursor', async () => {
    const page = { tools: [tool('a')], nextCursor: '' }
    expect(await listed({ tools: {} }, page)).toStrictEqual({
      tools: [tool('a')],
      asked: [{ method: 'tools/list' }, { method: 'tools/list', cursor: '' }],
    })
  })

  it('asks nothing where the server says that it has no tools', async () => {
    expect(await listed({}, { tools: [tool('a')] })).toEqual({ tools: [], asked: [] })
  })

  it('leaves a tool out whose headers are wrong', async () => {
    const wrong = tool('b', { a: { type: 'object', 'x-mcp-header': 'A' } })
    expect(await listed({ tools: {} }, { tools: [tool('a'), wrong] })).toMatchObject({ tools: [tool('a')] })
  })

  it.each([
    ['no list', { tools: 'a' }],
    ['what is no object', { tools: [tool('a'), 'b'] }],
    ['a tool without a name', { tools: [{ inputSchema: {} }] }],
    ['a tool without a schema', { tools: [{ name: 'a' }] }],
    ['what is nested too deep', { tools: [tool('a', withoutEnd())] }],
  ])('is an error where there comes %s', async (_, page) => {
    expect(await listed({ tools: {} }, page)).toMatchObject({ error: { code: 'INVALID_RESULT' } })
  })

  it('reads 64 pages, and no more', async () => {
    const last = Array.from({ length: 64 }, (_, page) => ({ tools: [], ...(page < 63 && { nextCursor: `${page}` }) }))
    expect(await listed({ tools: {} }, ...last)).toMatchObject({ tools: [] })
    const endless = Array.from({ length: 99 }, (_, page) => ({ tools: [], nextCursor: `${page}` }))
    const { error, asked } = (await listed({ tools: {} }, ...endless)) as {
      error?: unknown
      asked: unknown[]
    }
    expect(error).toMatchObject({ code: 'INVALID_RESULT' })
    expect(asked).toHaveLength(64)
  })
})
