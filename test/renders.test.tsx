import { describe, expect, it } from 'vitest'
import { countRenders } from '../bench/support/countRenders.js'

describe.each(['useToolCall', 'useToolCallState'] as const)(
  'a page with a component of %s for each of 1,000 calls',
  (hook) => {
    it('renders none of them when a poll finds nothing new, and one when one call has news', async () => {
      await expect(countRenders(hook, 1000)).resolves.toEqual({ unchanged: 0, ticked: 1 })
    })
  },
)
