import { expect, it } from 'vitest'
import { playSchedule } from './schedule.js'

it.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
  'after schedule %d every page shows what the backend has, and no call was made twice or lost',
  async (seed) => {
    expect(await playSchedule(seed, 100)).toEqual([])
  },
)

// page 1  calls ─ closed
// page 2          sees it run ─ no process knows it ─ calls under the same key: it has the arguments
it('a handle goes on where its page, which has the arguments, starts a call that no process knows any longer', async () => {
  expect(await playSchedule(129_001_266, 100)).toEqual([])
})
