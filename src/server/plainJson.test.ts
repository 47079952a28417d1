import { describe, expect, it } from 'vitest'
import { plainJson } from './plainJson.js'

describe('plainJson', () => {
  it('gives what arrives at the other end', () => {
    expect(plainJson({ a: undefined, b: new Date(0), c: [Number.NaN] })).toEqual({
      b: '1970-01-01T00:00:00.000Z',
      c: [null],
    })
  })

  it('gives nothing for what JSON cannot carry', () => {
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    for (const value of [undefined, () => {}, 1n, { deep: 1n }, cyclic]) expect(plainJson(value)).toBeUndefined()
  })
})
