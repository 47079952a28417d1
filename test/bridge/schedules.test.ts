import { expect, it } from 'vitest'
import { playSchedule } from './schedule.js'

/**
 * A process is frozen when it has taken a cancellation. Its page has another one make the call again, to cancel it there. When the first one
 * thaws, its news end the call in the page, which has no answer of the second one yet.
 */
const FROZEN_WITH_A_CANCELLATION = 568_002_383

it.each([...Array.from({ length: 40 }, (_, seed) => seed + 1), FROZEN_WITH_A_CANCELLATION])(
  'after schedule %d every page shows what the backend has, and no call was made twice or lost',
  async (seed) => {
    expect(await playSchedule(seed, 100)).toEqual([])
  },
)
