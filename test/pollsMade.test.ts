import { describe, expect, it } from 'vitest'
import { countPolls } from '../bench/support/countPolls.js'

describe('a task is polled as often as it has to be, and no more', () => {
  it.each([
    { tabs: 1, observers: 1 },
    { tabs: 1, observers: 50 },
    { tabs: 5, observers: 1 },
    { tabs: 5, observers: 50 },
  ])('with $tabs tabs of $observers observers', async (watched) => {
    const { polls, fewest } = await countPolls(watched)
    expect(polls).toBe(fewest)
  })
})
