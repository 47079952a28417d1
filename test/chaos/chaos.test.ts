import { describe, expect, it } from 'vitest'
import { addCoverage, type Coverage, neverReached } from './coverage.js'
import { KEPT_ROUNDS, readKeptRounds, roundName, toKeptRound } from './keptRounds.js'
import { type PlayedRound, playRound } from './playRound.js'
import { runChaos } from './runChaos.js'

const MINUTE = 60_000
const REWRITE =
  'It went otherwise than when its digest was kept, or costs more or less. If your change was to change that: npm run chaos -- --keep. If not: ' +
  'npm run chaos -- --seed N --runs 250 --journals FOLDER, before your change and after it, and compare the files.'

const rounds = KEPT_ROUNDS.map((round) => ({ ...round, name: roundName(round) }))
const played = new Map<string, Promise<PlayedRound>>()

/** Plays a round once, whichever test asks first. */
function playOnce(round: (typeof rounds)[number]): Promise<PlayedRound> {
  const once = played.get(round.name) ?? playRound(round)
  played.set(round.name, once)
  return once
}

describe('random schedules of faults', () => {
  it.each(rounds)(
    '[DUR-89] lose nothing, call nothing twice, leave nothing behind and can be played again ($name)',
    async (round) => {
      const { failure } = await playOnce(round)
      expect(failure).toBeUndefined()
    },
    5 * MINUTE,
  )

  it.each(rounds)(
    'go as they went when their digest was kept ($name)',
    async (round) => {
      const { totals } = await playOnce(round)
      expect(toKeptRound(totals), REWRITE).toEqual(readKeptRounds()[round.name])
    },
    5 * MINUTE,
  )

  it(
    'reach everything that client.observe() tells of, but for what their server never says',
    async () => {
      const coverage: Coverage = {}
      for (const round of rounds) addCoverage(coverage, Object.entries((await playOnce(round)).totals.coverage))
      // Hints are of servers of 2025-11-25.
      expect(neverReached(coverage)).toEqual(['poll-sent, hint', 'poll-failed, server'])
    },
    5 * MINUTE,
  )

  it(
    '[DUR-98] lose nothing and call nothing twice in tabs of two versions of the client on one origin',
    async () => {
      const { failure } = await playRound({ seed: 5, runs: 100, twice: false, kind: 'lite', versions: 'two' })
      expect(failure).toBeUndefined()
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
