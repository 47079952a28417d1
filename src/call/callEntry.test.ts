import { expect, it } from 'vitest'
import { asks, beginCall } from '../../test/support/stubbedCall.js'

it('a call that is left aborts the handler that is responding to its input request, and rejects', async () => {
  let signal: AbortSignal | undefined
  let finish = () => {}
  const { page, leave, sent, outcome, errors } = beginCall({
    polls: [asks],
    handlers: {
      roots: (_request, context) => {
        signal = context.signal
        return new Promise((resolve) => {
          finish = () => resolve({ roots: [] })
        })
      },
    },
  })
  await page.advance(1500)
  expect(signal?.aborted).toBe(false)
  const reason = new Error('closed')
  leave(reason)
  expect(signal?.aborted).toBe(true)
  finish()
  await page.settle()
  expect(sent.updates).toEqual([])
  expect(errors).toEqual([])
  expect(outcome.error).toBe(reason)
})
