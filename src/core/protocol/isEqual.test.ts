import { expect, it } from 'vitest'
import { isEqual } from './isEqual.js'

const error = new Error('down')
const run = () => {}

it.each<[equal: boolean, a: unknown, b: unknown]>([
  [true, 1, 1],
  [true, Number.NaN, Number.NaN],
  [true, null, null],
  [false, null, undefined],
  [false, '1', 1],
  [false, null, {}],
  [false, {}, null],
  [false, 'a', ['a']],
  [false, ['a'], 'a'],
  [false, 1, {}],
  [false, {}, 1],
  [true, [], []],
  [false, [], {}],
  [false, {}, []],
  [true, { a: [1, { b: null }] }, { a: [1, { b: null }] }],
  [false, { a: [1, { b: null }] }, { a: [1, { b: 0 }] }],
  [false, { a: 1 }, { a: 1, b: 2 }],
  [false, { a: undefined }, { b: undefined }],
  [false, [1, 2], [1, 2, 3]],
  [true, error, error],
  [false, error, new Error('down')],
  [false, error, {}],
  [false, {}, error],
  [true, run, run],
  [false, run, () => {}],
])('is %s of %j and %j', (equal, a, b) => {
  expect(isEqual(a, b)).toBe(equal)
})
