import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { parseRun } from '../seeded/parseRun.js'
import { playRounds } from '../seeded/playRounds.js'
import { hoursOf, keepSeen, playedNow } from '../seeded/seen.js'
import { addCoverage, type Coverage, formatCoverage, formatReached, neverReached } from './coverage.js'
import { KEPT_ROUNDS, type KeptRound, roundName, toKeptRound, writeKeptRounds } from './keptRounds.js'
import type { ChaosRound, ChaosRoundTotals } from './playRound.js'
import { watchCommand } from './recording.js'
import { addTotals, type ChaosTotals, FAULT_ROWS, formatSettled, formatTotals, settledWithin } from './totals.js'

// Random schedules of faults against the client, on every core: `npm run chaos -- --runs 20000`. Each is played twice,
// and what was otherwise the second time is a failure. Prints what was done and what came of it; a failure prints its
// schedule and the command that plays it again.

/** Schedules of one seed. A failure ends its round; the other rounds go on. */
const ROUND = 250

const { runs, seed, values } = parseRun('chaos', 2000, {
  '--runs N': 'how many schedules, 2,000 by default',
  '--seed N': 'the same seed plays the same schedules; a random one by default',
  '--lite': 'with the client of taskwire/lite',
  '--skew': 'with that client, half of the pages with the one of an earlier commit (scripts/earlierClient.mjs)',
  '--once': 'plays each schedule once, in half the time',
  '--path P': 'of a failure: plays that schedule only',
  '--replay R': 'of a failure, beside its --path',
  '--coverage': 'prints which pairs of the stage of a call and of what happened in it were reached, and how often',
  '--link N': 'prints the link that shows the Nth schedule of the seed, step by step',
  '--journals FOLDER': 'writes all that happens into files there, to compare two versions of the client by `diff`',
  '--record': 'keeps what came of it for docs/project/durability.md, and the --link (1 by default) for docs/replay.md',
  '--keep': 'plays the schedules whose digests are kept, and writes the digests into keptRounds.json',
})
const { path, journals } = values
if (journals !== undefined) mkdirSync(journals, { recursive: true })
const count = path === undefined ? Math.ceil(runs / ROUND) : 1
const linked = values.link ?? (values.record ? '1' : undefined)
const drawn = Array.from(
  { length: count },
  (_, index): ChaosRound => ({
    seed: seed + index,
    runs: path === undefined ? Math.min(ROUND, runs - index * ROUND) : ROUND,
    path,
    replayPath: values.replay,
    kind: values.lite || values.skew ? 'lite' : 'full',
    versions: values.skew ? 'two' : 'one',
    twice: !values.once,
    journals,
    link: index === 0 && linked !== undefined ? Number(linked) : undefined,
  }),
)
const rounds = values.keep ? KEPT_ROUNDS : drawn
const ofAll = rounds.reduce((sum, round) => sum + round.runs, 0)
const totals: ChaosTotals = {}
const played = new Map<string, KeptRound>()
const settled: Record<number, number> = {}
const coverage: Coverage = {}
const startedAt = Date.now()
let cpuSeconds = 0
let link: string | undefined
const failures = await playRounds<ChaosRound, ChaosRoundTotals>({
  worker: 'test/chaos/worker.ts',
  rounds,
  onRound: (round, itsCpuSeconds) => {
    cpuSeconds += itsCpuSeconds
    addTotals(totals, round.counted)
    played.set(roundName(round), toKeptRound(round))
    for (const [ms, times] of Object.entries(round.settled)) settled[Number(ms)] = (settled[Number(ms)] ?? 0) + times
    addCoverage(coverage, Object.entries(round.coverage))
    link ??= round.link
    return `${totals.schedules?.times ?? 0} of ${ofAll}`
  },
})
if (link !== undefined) console.log(watchCommand(link))
const seconds = Math.round((Date.now() - startedAt) / 1000)
const inOrder = rounds.map(
  (round) => [roundName(round), played.get(roundName(round)) ?? { digest: '', counts: {} }] as const,
)
if (values.keep && failures === 0) writeKeptRounds(Object.fromEntries(inOrder))
if (path === undefined) {
  const from = values.keep ? 'whose digests are kept' : `from seed ${seed}`
  console.log(`${totals.schedules?.times ?? 0} schedules ${from} in ${seconds} s\n\n${formatTotals(totals)}`)
  // The same number before and after a change that is to change nothing says that it did not.
  const all = inOrder.map(([, { digest }]) => digest).join()
  console.log(`\n${formatSettled(settled)}\n${formatReached(coverage)}`)
  if (values.coverage) console.log(`\n${formatCoverage(coverage)}\n`)
  console.log(`Digest of all that happened: ${createHash('sha256').update(all).digest('hex').slice(0, 16)}`)
}
if (values.record && path === undefined) {
  const client = values.skew ? 'tabs of two versions' : values.lite ? '`taskwire/lite`' : '`taskwire`'
  const flag = values.skew ? ' --skew' : values.lite ? ' --lite' : ''
  const faults = FAULT_ROWS.flatMap((key) => {
    const { runs = 0, times = 0, lost = 0, duplicated = 0, unequal = 0 } = totals[key] ?? {}
    return runs === 0 ? [] : [[key, [runs, times, lost, duplicated, unequal]] as const]
  })
  const run = {
    command: `npm run chaos -- --runs ${ofAll} --seed ${seed}${flag}${values.once ? ' --once' : ''}`,
    ...playedNow(),
    schedules: totals.schedules?.times ?? 0,
    failures,
    hours: hoursOf(cpuSeconds),
    settledWithinS: settledWithin(settled, 1),
    neverReached: neverReached(coverage),
    ...(link !== undefined && { link }),
    faults: Object.fromEntries(faults),
  }
  keepSeen({ runs: { [`${client}, seed ${seed}`]: run } })
}
process.exitCode = failures > 0 ? 1 : 0
