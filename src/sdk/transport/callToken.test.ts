import { describe, expect, it } from 'vitest'
import { CALL_TOKEN_META, withToken } from './callToken.js'

const marked = (params: object = {}, meta: object = {}) => ({
  ...params,
  _meta: { ...meta, [CALL_TOKEN_META]: 'token' },
})

describe('withToken()', () => {
  it.each([
    ['no params', { method: 'roots/list' }, { method: 'roots/list', params: marked() }],
    ['params', { params: { a: 1 } }, { params: marked({ a: 1 }) }],
    ['a _meta', { params: { a: 1, _meta: { b: 2 } } }, { params: marked({ a: 1 }, { b: 2 }) }],
    ['params that are none', { params: 'a' }, { params: marked() }],
    ['a _meta that is none', { params: { _meta: 'a' } }, { params: marked() }],
    ['what is no request', 'request', 'request'],
  ])('marks a request with %s', (_, request, expected) => {
    const result = { resultType: 'input_required', inputRequests: { one: request, two: request } }
    expect(withToken(result, 'token')).toEqual({ ...result, inputRequests: { one: expected, two: expected } })
  })

  it.each([{}, { inputRequests: 'all' }])('leaves a result alone that asks for nothing: %j', (result) => {
    expect(withToken(result, 'token')).toBe(result)
  })
})
