import { describe, expect, it } from 'vitest'
import { explore, play } from './explore.js'
import { formatFailure } from './formatFailure.js'
import { judgeSmall } from './judgeSmall.js'
import { QUICK_WORLDS } from './worlds.js'

const MINUTES = 5 * 60_000

describe('every order of a small world', () => {
  it.each(QUICK_WORLDS)(
    '[DUR-95] loses nothing, runs the tool once, polls politely and shows the same in all tabs: $name',
    async ({ name, bounds, maxDepth }) => {
      const { states, ends, never, isComplete, failure } = await explore({ bounds, maxDepth })
      expect(failure && formatFailure(name, failure)).toBeUndefined()
      expect(states).toBeGreaterThan(100)
      expect(ends).toBeGreaterThan(40)
      expect(isComplete ? never : []).toEqual([])
    },
    MINUTES,
  )

  it(
    '[DUR-96] finds out tabs that do not talk to each other, by a way that can be walked again',
    async () => {
      const bounds = { tabs: 2, time: 2, crossTab: false, kind: 'lite' } as const
      const { failure } = await explore({ bounds, maxDepth: 9 })
      expect(failure?.breaches[0]).toMatch(/polled \d+ ms too early|ran twice|differ at rest|ToolCallInterruptedError/)
      const again = await play(bounds, failure?.steps ?? [])
      if (again.breaches.length === 0) await judgeSmall(again)
      expect(again.breaches).toEqual(failure?.breaches)
    },
    MINUTES,
  )

  it('judges what it has reached where it is cut, and says what never happened until then', async () => {
    const bounds = { tabs: 2, time: 2, crash: 1, lose: 1, kind: 'lite' } as const
    const { wholeDepth, ends, never, isComplete, failure } = await explore({ bounds, maxStates: 20 })
    expect({ failure, isComplete, never }).toEqual({ failure: undefined, isComplete: false, never: ['time', 'lose'] })
    expect(wholeDepth).toBeLessThan(5)
    expect(ends).toBeGreaterThan(5)
  })

  it('comes to the same state by the same way, and to others by others', async () => {
    const bounds = { tabs: 2, time: 1 } as const
    const way = ['start in A', 'start in B', 'lock for A']
    const prints = await Promise.all(
      [way, way, ['start in A', 'lock for A', 'start in B'], ['start in A', 'start in B']].map(async (steps) =>
        (await play(bounds, steps)).fingerprint(),
      ),
    )
    expect(prints[1]).toBe(prints[0])
    expect(prints[2]).toBe(prints[0])
    expect(prints[3]).not.toBe(prints[0])
  })
})
