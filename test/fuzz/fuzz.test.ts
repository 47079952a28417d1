import { beforeAll, describe, expect, it } from 'vitest'
import type { Spoil } from './clientWorld.js'
import { replayCommand, runFuzz, TARGETS } from './runFuzz.js'
import { warmUp } from './warmUp.js'

const MINUTE = 60_000

beforeAll(warmUp, MINUTE)

describe('random input', () => {
  it.each(TARGETS)(
    '[EDGE-26] of the target %s hangs nothing, throws nothing, polls nothing early, pollutes no prototype and tells no id',
    async (target) => {
      const failure = await runFuzz({ target, runs: 100, seed: 1 })
      expect(failure && `${failure.report}\n\n${replayCommand(failure)}`).toBeUndefined()
    },
    5 * MINUTE,
  )

  it(
    '[EDGE-26] finds a client whose timers do not run, and a failure can be played again',
    async () => {
      const spoil: Spoil = (environment) => ({
        ...environment,
        setTimeout: (callback, delayMs) => environment.setTimeout(delayMs > 600 ? () => {} : callback, delayMs),
      })
      const failure = await runFuzz({ target: 'modern', runs: 20, seed: 1, spoil })
      expect(failure?.report).toMatch(/^Error: never settled/)
      const { seed = 0, path } = failure ?? {}
      const again = await runFuzz({ target: 'modern', runs: 20, seed, path, spoil })
      expect(again?.report).toBe(failure?.report)
    },
    5 * MINUTE,
  )
})
