import fc from 'fast-check'
import { type Model, open, type Real, schedules } from './commands.js'
import type { Tally } from './faults.js'
import { judge } from './verdict.js'
import { createWorld, type WorldOptions } from './world.js'

export interface ChaosOptions {
  readonly runs: number
  readonly seed: number
  /** Where in the runs of the seed to begin: what a failure has printed. */
  readonly path?: string | undefined
  readonly replayPath?: string | undefined
  readonly tally: Tally
}

/** A schedule, as small as it could be made, under which something went wrong. */
export interface ChaosFailure {
  readonly seed: number
  readonly path: string
  readonly replayPath: string | undefined
  /** What went wrong, the schedule and what happened in it. */
  readonly report: string
}

const MAX_COMMANDS = 80

const worlds: fc.Arbitrary<WorldOptions> = fc.record({
  seed: fc.nat({ max: 0xffff }),
  resume: fc.constantFrom('eager', 'eager', 'eager', 'lazy'),
  tabs: fc.constantFrom('together', 'together', 'together', 'together', 'alone'),
  storage: fc.constantFrom('local', 'local', 'local', 'async'),
  hidden: fc.constantFrom('continue', 'continue', 'continue', 'pause'),
})

/** Plays random schedules. Returns the first that fails, made small, or undefined. */
export async function runChaos(options: ChaosOptions): Promise<ChaosFailure | undefined> {
  const { runs, seed, path, replayPath, tally } = options
  const property = fc.asyncProperty(
    worlds,
    schedules({ maxCommands: MAX_COMMANDS, replayPath }),
    async (worldOptions, commands) => {
      const world = createWorld(worldOptions, tally)
      const places = worldOptions.tabs === 'alone' ? 1 : 3
      const setup = (): { model: Model; real: Real } => ({
        model: { places: Array.from({ length: places }, () => 'empty' as const) },
        real: { world, places: [], calls: new Map() },
      })
      const real = setup()
      const onRejection = (reason: unknown) => world.breach('error nobody handles', String(reason))
      process.on('unhandledRejection', onRejection)
      try {
        await open(real.real, real.model, 0, false)
        await fc.asyncModelRun(async () => real, commands)
        await judge(world)
      } finally {
        process.off('unhandledRejection', onRejection)
      }
      if (world.breaches.length > 0) throw new Error([...world.breaches, '', ...world.trace].join('\n'))
    },
  )
  const details = await fc.check(property, { numRuns: runs, seed, ...(path !== undefined && { path }), verbose: 0 })
  if (!details.failed) return undefined
  const { counterexample, counterexamplePath, errorInstance } = details
  const schedule = String(counterexample?.[1] ?? '')
  return {
    seed,
    path: counterexamplePath ?? '',
    replayPath: /replayPath="([^"]*)"/.exec(schedule)?.[1],
    report: [
      errorInstance instanceof Error ? (errorInstance.stack ?? '') : String(errorInstance),
      `world: ${JSON.stringify(counterexample?.[0])}`,
      `schedule: ${schedule}`,
    ].join('\n'),
  }
}
