import { expect, it } from 'vitest'
import { argumentsHash, isOtherHash } from './argumentsHash.js'

it('is the same for the same arguments, in whatever order they are written, also inside of others', () => {
  const one = argumentsHash({ b: 1, a: { d: [1, { y: 2, x: null }], c: 'x' }, c: 3 })
  expect(argumentsHash({ c: 3, a: { c: 'x', d: [1, { x: null, y: 2 }] }, b: 1 })).toBe(one)
  expect(argumentsHash({})).toBe(argumentsHash(undefined))
})

// The record of a call keeps the hash. If the hash changed, a running call would seem to have other arguments.
it('stays what it is', () => {
  expect(argumentsHash({ b: [2, { d: 3, c: null }], a: 'x' })).toBe('05586b4542416b0c54a8a401e9a9')
})

it.each([
  [{ a: 1 }, { a: 2 }],
  [{ a: [1, 2] }, { a: [2, 1] }],
  [{ a: null }, { a: {} }],
  [{ a: null }, {}],
  [{ a: ['x'] }, { a: { 0: 'x' } }],
  [{ a: '1' }, { a: 1 }],
])('tells %j and %j apart', (a, b) => {
  expect(argumentsHash(a)).not.toBe(argumentsHash(b))
})

it('is another one only where both are known', () => {
  expect(isOtherHash('a', 'b')).toBe(true)
  expect(isOtherHash('a', 'a')).toBe(false)
  expect(isOtherHash(undefined, 'a')).toBe(false)
  expect(isOtherHash('a', undefined)).toBe(false)
})
