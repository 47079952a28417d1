import { describe, expect, it } from 'vitest'
import { replayCommand, runChaos } from './runChaos.js'

const MINUTE = 60_000

describe('random schedules of faults', () => {
  it.each([1, 2, 3, 4])(
    '[DUR-89] lose nothing, call nothing twice and leave nothing behind (seed %i)',
    async (seed) => {
      const failure = await runChaos({ runs: 250, seed })
      expect(failure && `${failure.report}\n\n${replayCommand(failure)}`).toBeUndefined()
    },
    5 * MINUTE,
  )

  it(
    'do the same to taskwire/lite, and the same again when they are played a second time',
    async () => {
      const failure = await runChaos({ runs: 250, seed: 1, client: { kind: 'lite' }, twice: true })
      expect(failure && `${failure.report}\n\n${replayCommand(failure)} --lite`).toBeUndefined()
    },
    5 * MINUTE,
  )

  it(
    '[DUR-90] find out tabs that do not talk to each other, and can be played again',
    async () => {
      const client = { crossTab: false }
      const failure = await runChaos({ runs: 250, seed: 1, client })
      expect(failure?.report).toMatch(/^Error: (poll too early|call duplicated|input request answered twice)/)
      const { path, replayPath, seed = 0 } = failure ?? {}
      const again = await runChaos({ runs: 250, seed, path, replayPath, client })
      expect(again?.report).toContain(failure?.report.split('\n')[0])
    },
    5 * MINUTE,
  )
})
