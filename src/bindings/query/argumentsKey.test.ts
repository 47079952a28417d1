import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { argumentsKey } from './argumentsKey.js'

/** The same value with the members of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  )
}

describe('argumentsKey', () => {
  it('is stored, so it stays what it is', () => {
    expect(argumentsKey({ seconds: 30, title: 'Q3' })).toBe('args-11057d70e036990adcc170c1465e')
    expect(argumentsKey({})).toBe('args-1bc27f5a56d1e709074b51cd0a7b')
  })

  it('takes no arguments for empty ones, and undefined for absent', () => {
    expect(argumentsKey(undefined)).toBe(argumentsKey({}))
    expect(argumentsKey({ a: undefined })).toBe(argumentsKey({}))
  })

  it('does not depend on the order in which members are written, however deep', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
        expect(argumentsKey(reversed(args) as Record<string, unknown>)).toBe(argumentsKey(args))
      }),
      { seed: 2663, numRuns: 1000 },
    )
  })

  it.each([
    [{ list: [1, 2] }, { list: [2, 1] }],
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [{ a: [] }, { a: {} }],
    [{ ab: 'c' }, { a: 'bc' }],
    [{ a: '1,"b":2' }, { a: '1', b: 2 }],
    [JSON.parse('{"__proto__":{"a":1}}'), {}],
  ])('tells %j from %j', (a, b) => {
    expect(argumentsKey(a)).not.toBe(argumentsKey(b))
  })

  it('gives nothing of the arguments away', () => {
    expect(argumentsKey({ password: 'hunter2' })).toMatch(/^args-[0-9a-f]{28}$/)
  })

  it('leaves the arguments alone', () => {
    const args = { b: 1, a: { d: 1, c: 2 } }
    argumentsKey(args)
    expect(JSON.stringify(args)).toBe('{"b":1,"a":{"d":1,"c":2}}')
  })
})
