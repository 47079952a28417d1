import { expect, it } from 'vitest'
import { asks, beginCall, heldHandler } from '../../test/support/stubbedCall.js'

it('a call that is left aborts the handler that is responding to its input request, and rejects', async () => {
  const { held, handlers } = heldHandler()
  const { page, leave, sent, outcome, errors } = beginCall({ polls: [asks], handlers })
  await page.advance(1500)
  expect(held.signal?.aborted).toBe(false)
  const reason = new Error('closed')
  leave(reason)
  expect(held.signal?.aborted).toBe(true)
  held.finish()
  await page.settle()
  expect(sent.updates).toEqual([])
  expect(errors).toEqual([])
  expect(outcome.error).toBe(reason)
})
