import { workRounds } from '../seeded/workRounds.js'
import type { ClientKind } from '../support/createClientOf.js'
import { type Exploration, explore } from './explore.js'
import { formatFailure } from './formatFailure.js'
import type { NamedWorld } from './worlds.js'

process.env['NODE_ENV'] = 'production'

/** A world for one worker. */
export interface UniverseRound extends NamedWorld {
  readonly kind: ClientKind
  readonly maxStates?: number | undefined
  readonly minutes?: number | undefined
}

export interface WalkedWorld
  extends Pick<Exploration, 'states' | 'transitions' | 'depth' | 'wholeDepth' | 'ends' | 'never' | 'isComplete'> {
  readonly name: string
  readonly reached: readonly string[]
  readonly seconds: number
}

await workRounds<UniverseRound, WalkedWorld>(async ({ name, bounds, maxDepth, maxStates, minutes, kind }) => {
  const startedAt = performance.now()
  const ms = minutes === undefined ? Number.POSITIVE_INFINITY : minutes * 60_000
  // What was walked and not judged was walked for little.
  const [walkUntil, judgeUntil] = [startedAt + ms / 2, startedAt + ms]
  const options = { bounds: { ...bounds, kind }, maxDepth, maxStates, walkUntil, judgeUntil }
  const { reached, failure, ...walked } = await explore(options)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return {
    totals: { ...walked, name, reached: [...reached], seconds },
    failure: failure && formatFailure(name, failure),
  }
})
