import { describe, expect, it } from 'vitest'
import { isTooDeep, toJson } from './json.js'

function nested(depth: number, wrap: (value: unknown) => object): unknown {
  let value: unknown = 'leaf'
  for (let level = 0; level < depth; level += 1) value = wrap(value)
  return value
}

it.each([
  ['objects', (value: unknown) => ({ a: null, value })],
  ['lists', (value: unknown) => ['x', value]],
])('%s may be nested 512 levels deep, and no deeper', (_name, wrap) => {
  expect(isTooDeep(nested(512, wrap))).toBe(false)
  expect(isTooDeep(nested(513, wrap))).toBe(true)
})

it.each([undefined, null, 'x', [], {}])('%j is not too deep', (value) => {
  expect(isTooDeep(value)).toBe(false)
})

describe('toJson', () => {
  it('gives what arrives at the other end', () => {
    expect(toJson({ a: undefined, b: new Date(0), c: [Number.NaN] })).toEqual({
      b: '1970-01-01T00:00:00.000Z',
      c: [null],
    })
  })

  it('gives nothing for what JSON cannot carry', () => {
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    for (const value of [undefined, () => {}, 1n, { deep: 1n }, cyclic]) expect(toJson(value)).toBeUndefined()
  })
})
