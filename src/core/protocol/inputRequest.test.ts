import { describe, expect, it } from 'vitest'
import { isInputKey, parseInputRequest } from './inputRequest.js'

const schema = { type: 'object', properties: { name: { type: 'string' } } }
const elicit = (params: unknown) => ({ method: 'elicitation/create', params })

describe('parseInputRequest', () => {
  it.each([
    ['a form', elicit({ mode: 'form', message: 'Name?', requestedSchema: schema })],
    ['a form with _meta', elicit({ mode: 'form', message: 'Name?', requestedSchema: schema, _meta: { a: 1 } })],
    ['a page', elicit({ mode: 'url', message: 'Sign in', url: 'https://example.com/a?b=c', elicitationId: '7' })],
    ['a page on http', elicit({ mode: 'url', message: 'Sign in', url: 'HTTP://localhost:3000' })],
    ['sampling', { method: 'sampling/createMessage', params: { messages: [], maxTokens: 100, systemPrompt: 'x' } }],
    ['roots', { method: 'roots/list' }],
    ['roots with params', { method: 'roots/list', params: { _meta: {} } }],
  ])('reads %s as it is', (_, value) => {
    expect(parseInputRequest(value)).toEqual({ request: value })
  })

  it('takes an elicitation without a mode for a form', () => {
    expect(parseInputRequest(elicit({ message: 'Name?', requestedSchema: schema }))).toEqual({
      request: elicit({ mode: 'form', message: 'Name?', requestedSchema: schema }),
    })
  })

  it.each([
    [undefined, 'is not an object'],
    [null, 'is not an object'],
    ['roots/list', 'is not an object'],
    [[], 'is not an object'],
    [{}, 'has no params'],
    [{ method: 'elicitation/create' }, 'has no params'],
    [elicit(null), 'has no params'],
    [elicit([]), 'has no params'],
    [elicit({}), 'has no message'],
    [elicit({ message: 7, requestedSchema: schema }), 'has no message'],
    [elicit({ message: 'Name?' }), 'has no requestedSchema'],
    [elicit({ message: 'Name?', requestedSchema: [] }), 'has no requestedSchema'],
    [elicit({ message: 'Name?', requestedSchema: '{}' }), 'has no requestedSchema'],
    [elicit({ mode: 'telepathy', message: 'Name?' }), 'has a mode that this version does not know'],
    [elicit({ mode: null, message: 'Name?', requestedSchema: schema }), 'has a mode that this version does not know'],
    [{ method: 'sampling/createMessage', params: {} }, 'has no messages'],
    [{ method: 'sampling/createMessage', params: { messages: 'hi' } }, 'has no messages'],
    [{ method: 'roots/list', params: [] }, 'has params that are not an object'],
    [{ method: 'roots/list', params: null }, 'has params that are not an object'],
    [{ method: 'tools/call', params: {} }, 'has a method that no client answers'],
    [{ method: 'toString', params: {} }, 'has a method that no client answers'],
    [{ method: 7, params: {} }, 'has a method that no client answers'],
  ])('refuses %j', (value, problem) => {
    expect(parseInputRequest(value)).toEqual({ problem })
  })

  it.each([
    undefined,
    7,
    '',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.com/x',
    '//example.com',
    '/relative',
    'https:example.com',
    'https:/example.com',
    'httpsx://example.com',
    ' https://example.com',
    'https://',
    'https://a b/',
    'https://example.com:99999/',
    'http://[::1/',
  ])('refuses the url %j: it must never reach a link', (url) => {
    expect(parseInputRequest(elicit({ mode: 'url', message: 'Click', url }))).toEqual({ problem: 'has no http(s) url' })
  })

  it('says nothing of what it was given in what is wrong with it', () => {
    const parsed = parseInputRequest({ method: '<img src=x onerror=alert(1)>', params: {} })
    expect(JSON.stringify(parsed)).not.toContain('<')
  })
})

it.each([
  ['of 254 characters', 'x'.repeat(254), true],
  ['of 255 characters', 'x'.repeat(255), false],
  ['of quotes, which take two characters each', '"'.repeat(128), false],
  ['that is no text', 7, false],
])('a key %s: %s is one: %s', (_name, key, expected) => {
  expect(isInputKey(key)).toBe(expected)
})

it('a request that is nested too deep is refused, and so is one for a page whose url is in a list', () => {
  let deep: object = {}
  for (let level = 0; level < 512; level += 1) deep = { deep }
  expect(parseInputRequest({ method: 'roots/list', params: deep })).toEqual({ problem: 'is nested too deep' })
  expect(parseInputRequest(elicit({ mode: 'url', message: 'x', url: ['https://example.com'] }))).toEqual({
    problem: 'has no http(s) url',
  })
})
