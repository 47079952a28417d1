import { expect, it } from 'vitest'
import { playSchedule } from './schedule.js'

it.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
  'after schedule %d every page shows what the backend has, and no call was made twice or lost',
  async (seed) => {
    expect(await playSchedule(seed, 100)).toEqual([])
  },
)
