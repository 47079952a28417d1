import { describe, expect, it } from 'vitest'
import { toJson } from './toJson.js'

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
