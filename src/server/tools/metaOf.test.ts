import { describe, expect, it } from 'vitest'
import { metaOf } from './metaOf.js'

const of = (_meta: unknown) => metaOf({ params: { _meta } })

describe('metaOf()', () => {
  it.each(['traceparent', 'com.example/id', 'example', 'com.example.mcp/id', 'mcp.example/id', 'io.mcpx/id'])(
    'keeps %s',
    (key) => {
      expect(of({ [key]: { a: 1 } })).toEqual({ [key]: { a: 1 } })
    },
  )

  it.each([
    'progressToken',
    'io.modelcontextprotocol/protocolVersion',
    'io.modelcontextprotocol/clientCapabilities',
    'dev.mcp/id',
    'org.modelcontextprotocol.api/id',
    'tools.mcp.com/id',
    'dev.taskwire/idempotencyKey',
    'dev.taskwire/call',
  ])('leaves %s out', (key) => {
    expect(of({ [key]: 1, kept: 2 })).toEqual({ kept: 2 })
  })

  it.each([undefined, null, 'text', ['list'], 7])('is empty for %j', (meta) => {
    expect(of(meta)).toEqual({})
  })

  it.each([undefined, null, {}, { params: 'none' }])('is empty for the body %j', (body) => {
    expect(metaOf(body)).toEqual({})
  })
})
