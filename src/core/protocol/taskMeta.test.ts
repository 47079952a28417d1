import { expect, it, vi } from 'vitest'
import { parseTaskMeta } from './taskMeta.js'

it('_meta is kept up to 16,384 characters of JSON', () => {
  const issue = vi.fn()
  const full = { app: 'x'.repeat(16_384 - '{"app":""}'.length) }
  expect(parseTaskMeta(full, issue)).toEqual(full)
  expect(issue).not.toHaveBeenCalled()
  expect(parseTaskMeta({ app: `${full.app}x` }, issue)).toBeUndefined()
  expect(issue).toHaveBeenCalledOnce()
})
