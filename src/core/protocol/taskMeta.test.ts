import { expect, it, vi } from 'vitest'
import { isSameMeta, parseTaskMeta } from './taskMeta.js'

it('_meta is kept up to 16,384 characters of JSON', () => {
  const issue = vi.fn()
  const full = { app: 'x'.repeat(16_384 - '{"app":""}'.length) }
  expect(parseTaskMeta(full, issue)).toEqual(full)
  expect(issue).not.toHaveBeenCalled()
  expect(parseTaskMeta({ app: `${full.app}x` }, issue)).toBeUndefined()
  expect(issue).toHaveBeenCalledOnce()
})

it.each([
  ['none', undefined, undefined, true],
  ['one that is new', undefined, { app: 1 }, false],
  ['one that is gone', { app: 1 }, undefined, false],
  ['the same', { app: 1 }, { app: 1 }, true],
  ['another', { app: 1 }, { app: 2 }, false],
])('_meta is the same or not: %s', (_name, a, b, expected) => {
  expect(isSameMeta(a, b)).toBe(expected)
})
