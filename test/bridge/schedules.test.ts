import { expect, it } from 'vitest'
import { playSchedule } from './schedule.js'

it.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
  'after schedule %d every page shows what the backend has, and no call was made twice or lost',
  async (seed) => {
    expect(await playSchedule(seed, 100)).toEqual([])
  },
)

// process of the news  interrupted ····························· its news of the task are on their way
// the same, asked      start ─ task: answer, with the call ─ resume: answer, without the call
it('a call does not end by old news where the answer says that new ones are on their way', async () => {
  expect(await playSchedule(236_001_312, 100)).toEqual([])
})
