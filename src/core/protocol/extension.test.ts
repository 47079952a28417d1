import { describe, expect, it } from 'vitest'
import {
  declareTasks,
  hasEnvelope,
  IDEMPOTENCY_CONFLICT,
  IDEMPOTENT_CALLS_EXTENSION,
  INVALID_PARAMS,
  isIdempotencyConflict,
  keyTtlMs,
  METHOD_NOT_FOUND,
  MISSING_CLIENT_CAPABILITY,
  supportsTasks,
  TASKS_EXTENSION,
} from './extension.js'

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'app', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

describe('declareTasks', () => {
  it('declares the extension in the nested envelope, to the letter', () => {
    expect(JSON.stringify(declareTasks(ENVELOPE))).toBe(
      '{"io.modelcontextprotocol/protocolVersion":"2026-07-28",' +
        '"io.modelcontextprotocol/clientInfo":{"name":"app","version":"1"},' +
        '"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}',
    )
  })

  it('never as a bare key of _meta', () => {
    expect(Object.keys(declareTasks(ENVELOPE))).toEqual(Object.keys(ENVELOPE))
    expect(Object.keys(declareTasks({}))).toEqual(['io.modelcontextprotocol/clientCapabilities'])
  })

  it('returns what declares it already as it is', () => {
    const declared = declareTasks(ENVELOPE)
    expect(declareTasks(declared)).toBe(declared)
  })

  it('keeps other capabilities, other extensions and other members of _meta', () => {
    const meta = {
      ...ENVELOPE,
      progressToken: 7,
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: { form: {} },
        extensions: { 'com.example/other': { a: 1 } },
      },
    }
    expect(declareTasks(meta)).toEqual({
      ...ENVELOPE,
      progressToken: 7,
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: { form: {} },
        extensions: { 'com.example/other': { a: 1 }, 'io.modelcontextprotocol/tasks': {} },
      },
    })
  })

  it('keeps settings that the app has declared for the extension', () => {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS_EXTENSION]: { push: true } } } }
    expect(declareTasks(meta)).toBe(meta)
  })

  it('changes nothing that it was given', () => {
    const meta = structuredClone(ENVELOPE)
    declareTasks(meta)
    expect(meta).toEqual(ENVELOPE)
  })

  it.each([undefined, null, [], 'all', 7])('replaces clientCapabilities of %j, which are none', (capabilities) => {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
    expect(declareTasks(meta)).toEqual({
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    })
  })
})

describe('supportsTasks', () => {
  it.each([
    [{ extensions: { 'io.modelcontextprotocol/tasks': {} } }, true],
    [{ extensions: { 'io.modelcontextprotocol/tasks': { push: true } } }, true],
    [{ extensions: { 'io.modelcontextprotocol/tasks': null } }, false],
    [{ extensions: {} }, false],
    [{ extensions: [] }, false],
    [{ 'io.modelcontextprotocol/tasks': {} }, false],
    [{ tasks: {} }, false],
    [{}, false],
    [null, false],
    [undefined, false],
  ])('%j: %s', (capabilities, expected) => {
    expect(supportsTasks(capabilities)).toBe(expected)
  })
})

describe('hasEnvelope', () => {
  it.each([
    [ENVELOPE, true],
    [{ 'io.modelcontextprotocol/protocolVersion': 20260728 }, false],
    [{ progressToken: 1 }, false],
    [undefined, false],
    [null, false],
    [[], false],
  ])('%j: %s', (meta, expected) => {
    expect(hasEnvelope(meta)).toBe(expected)
  })
})

describe('the codes of SEP-2663', () => {
  it('are these', () => {
    expect({ INVALID_PARAMS, METHOD_NOT_FOUND, MISSING_CLIENT_CAPABILITY }).toEqual({
      INVALID_PARAMS: -32602,
      METHOD_NOT_FOUND: -32601,
      MISSING_CLIENT_CAPABILITY: -32021,
    })
  })
})

describe('keyTtlMs()', () => {
  const declared = (extension: unknown) => ({ extensions: { [IDEMPOTENT_CALLS_EXTENSION]: extension } })

  it.each([
    ['nothing', undefined, 0],
    ['no extensions', {}, 0],
    ['another extension', { extensions: { [TASKS_EXTENSION]: {} } }, 0],
    ['an extension that is no object', declared(true), 0],
    ['a time', declared({ keyTtlMs: 5000 }), 5000],
    ['a time before now', declared({ keyTtlMs: -1 }), 0],
    ['no time', declared({}), Number.POSITIVE_INFINITY],
    ['a time that is no number', declared({ keyTtlMs: '5000' }), Number.POSITIVE_INFINITY],
  ])('of a server that declares %s', (_name, capabilities, expected) => {
    expect(keyTtlMs(capabilities)).toBe(expected)
  })
})

it.each([
  [{ reason: IDEMPOTENCY_CONFLICT }, true],
  [{ reason: 'other' }, false],
  [{}, false],
  [null, false],
  [undefined, false],
])('%j says that a key came with another call before: %s', (data, expected) => {
  expect(isIdempotencyConflict(data)).toBe(expected)
})
