import fc from 'fast-check'
import { type Command, type Model, open, type Real, schedules } from './commands.js'
import { BLINDING_FAULTS, createTally, FAULTS, FAULTS_SINCE_EARLIER, type Fault, type Tally } from './faults.js'
import { firstDifference } from './journal.js'
import { judge } from './verdict.js'
import { type ClientOptions, createWorld, MAX_FEW, type World, type WorldOptions } from './world.js'

export interface ChaosOptions {
  readonly runs: number
  readonly seed: number
  /** Where in the runs of the seed to begin: what a failure has printed. */
  readonly path?: string | undefined
  readonly replayPath?: string | undefined
  /** Options that every client gets. */
  readonly client?: ClientOptions | undefined
  /** Plays each schedule a second time, and fails where anything was otherwise. */
  readonly twice?: boolean | undefined
  /** Called with what a run has counted; after the first that fails, of none any more. */
  readonly onRun?: (run: ChaosRun) => void
}

export interface ChaosRun {
  readonly counts: Tally['counts']
  /** Of all that happened. */
  readonly digest: string
  /** All that happened, in order. */
  readonly journal: readonly string[]
  /**
   * How long it took until every call and task had ended after the last fault, in ms, in steps of 10 s. Undefined where the
   * server had asked to be left alone for a year, of which a client believes a day.
   */
  readonly settledMs: number | undefined
  /** Pairs of the stage of a call and of what happened in it. */
  readonly reached: ReadonlySet<string>
}

/** A schedule, as small as it could be made, under which something went wrong. */
export interface ChaosFailure {
  readonly seed: number
  readonly path: string
  readonly replayPath: string | undefined
  /** What went wrong, the schedule and what happened in it. */
  readonly report: string
  /** All that happened, in order. */
  readonly journal: readonly string[]
}

const MAX_COMMANDS = 100
/** For how long a schedule that fails is made smaller, in real time. Of one that waits for a day, each try takes seconds. */
const SHRINKING_MS = 3 * 60_000

/** Faults after which every page can know what it has to know. */
const SEEING_FAULTS: readonly Fault[] = FAULTS.filter((fault) => !BLINDING_FAULTS.includes(fault))

const worlds: fc.Arbitrary<WorldOptions> = fc.record({
  seed: fc.nat({ max: 0xffff }),
  resume: fc.constantFrom('eager', 'eager', 'eager', 'lazy'),
  tabs: fc.constantFrom('together', 'together', 'together', 'together', 'alone'),
  storage: fc.constantFrom('local', 'local', 'local', 'async'),
  hidden: fc.constantFrom('continue', 'continue', 'continue', 'pause'),
  // A world with all faults hides what a world with two of them shows. In a world with few, each has its rate, too.
  faults: fc.oneof(
    fc.constant(FAULTS),
    fc.constant(SEEING_FAULTS),
    fc.subarray([...FAULTS], { maxLength: MAX_FEW }),
    fc.subarray([...FAULTS], { maxLength: MAX_FEW }),
  ),
})

/** Plays one schedule in a world of its own, to its end. Returns how long it took to settle. */
async function play(world: World, commands: Iterable<Command>): Promise<number> {
  const places = world.options.tabs === 'alone' ? 1 : 3
  const model: Model = {
    faults: new Set(world.options.faults),
    places: Array.from({ length: places }, () => 'empty' as const),
  }
  const real: Real = { world, places: [], calls: new Map() }
  const onRejection = (reason: unknown) => world.breach('unhandled error', String(reason))
  process.on('unhandledRejection', onRejection)
  try {
    await open(real, model, 0, false)
    await fc.asyncModelRun(async () => ({ model, real }), commands)
    return await judge(world)
  } finally {
    process.off('unhandledRejection', onRejection)
  }
}

/** The world with the faults that all clients in it were made for. */
function restricted(world: WorldOptions, { versions }: ClientOptions = {}): WorldOptions {
  if (versions !== 'two') return world
  return { ...world, faults: world.faults.filter((fault) => !FAULTS_SINCE_EARLIER.includes(fault)) }
}

/** Plays random schedules. Returns the first that fails, made small, or undefined. */
export async function runChaos(options: ChaosOptions): Promise<ChaosFailure | undefined> {
  const { runs, seed, path, replayPath, client, twice = false, onRun } = options
  /** When a schedule failed first, by `performance.now()`. */
  let failedAt: number | undefined
  /** Of the schedule that has failed last, which is the smallest one. */
  let journal: readonly string[] = []
  const property = fc.asyncProperty(
    worlds,
    schedules({ maxCommands: MAX_COMMANDS, replayPath }),
    async (drawn, commands) => {
      if (failedAt !== undefined && performance.now() > failedAt + SHRINKING_MS) return
      const worldOptions = restricted(drawn, client)
      const tally = createTally()
      const world = createWorld(worldOptions, tally, client)
      const settledMs = await play(world, commands)
      if (twice) {
        const again = createWorld(worldOptions, createTally(), client)
        await play(again, commands)
        const difference = firstDifference(world.journal.lines, again.journal.lines)
        if (difference !== undefined) world.breach('played again otherwise', difference)
      }
      if (failedAt === undefined)
        onRun?.({
          counts: tally.counts,
          digest: world.journal.digest(),
          journal: world.journal.lines,
          settledMs: world.patienceDays() > 0 ? undefined : settledMs,
          reached: world.reached,
        })
      if (world.breaches.length === 0) return
      failedAt ??= performance.now()
      journal = world.journal.lines
      throw new Error([...world.breaches, '', ...world.trace].join('\n'))
    },
  )
  const details = await fc.check(property, { numRuns: runs, seed, ...(path !== undefined && { path }), verbose: 0 })
  if (!details.failed) return undefined
  const { counterexample, counterexamplePath, errorInstance } = details
  const schedule = String(counterexample?.[1] ?? '')
  return {
    seed,
    journal,
    path: counterexamplePath ?? '',
    replayPath: /replayPath="([^"]*)"/.exec(schedule)?.[1],
    report: [
      errorInstance instanceof Error ? (errorInstance.stack ?? '') : String(errorInstance),
      `world: ${JSON.stringify(counterexample?.[0])}`,
      `schedule: ${schedule}`,
    ].join('\n'),
  }
}

export function replayCommand({ seed, path, replayPath }: ChaosFailure): string {
  const replay = replayPath === undefined ? '' : ` --replay '${replayPath}'`
  return `To play it again: npm run chaos -- --seed ${seed} --path '${path}'${replay}`
}
