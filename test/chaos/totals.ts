import { table } from '../seeded/table.js'
import { APP_ACTIONS, BREACHES, EVENTS, NETWORK_FAULTS, PAGE_FAULTS, type Tally, type TallyKey } from './faults.js'

/** What many runs have counted. */
export type ChaosTotals = Partial<Record<TallyKey | 'schedules', Total>>

export interface Total {
  /** Runs in which it came up at all. */
  runs: number
  times: number
  /** Of these runs, those in which a task was lost. */
  lost: number
  /** Of these runs, those in which a call was made twice. */
  duplicated: number
  /** Of these runs, those that went otherwise when they were played again. */
  unequal: number
}

/** Adds what one run has counted. */
export function addRun(totals: ChaosTotals, counts: Tally['counts']): void {
  const lost = counts['task lost'] ? 1 : 0
  const duplicated = counts['call duplicated'] ? 1 : 0
  const unequal = counts['played again otherwise'] ? 1 : 0
  const entries = Object.entries({ schedules: 1, ...counts }) as [TallyKey | 'schedules', number][]
  for (const [key, times] of entries) add(totals, key, { runs: 1, times, lost, duplicated, unequal })
}

export function addTotals(totals: ChaosTotals, others: ChaosTotals): void {
  for (const [key, total] of Object.entries(others)) add(totals, key as TallyKey, total)
}

function add(
  totals: ChaosTotals,
  key: TallyKey | 'schedules',
  { runs, times, lost, duplicated, unequal }: Total,
): void {
  const total = totals[key] ?? { runs: 0, times: 0, lost: 0, duplicated: 0, unequal: 0 }
  total.runs += runs
  total.times += times
  total.lost += lost
  total.duplicated += duplicated
  total.unequal += unequal
  totals[key] = total
}

/** What stands in a row of its own: faults, and what the app does. */
export const FAULT_ROWS = [...NETWORK_FAULTS, ...PAGE_FAULTS, ...APP_ACTIONS] as const

/** The totals in Markdown: what was done, and what came of it. */
export function formatTotals(totals: ChaosTotals): string {
  const count = (key: TallyKey | 'schedules') => totals[key]?.times ?? 0
  const faults = FAULT_ROWS.map((key) => {
    const { runs = 0, times = 0, lost = 0, duplicated = 0, unequal = 0 } = totals[key] ?? {}
    return [key, runs, times, lost, duplicated, unequal]
  })
  const kinds = [...NETWORK_FAULTS, ...PAGE_FAULTS]
  const injected = kinds.reduce((sum, key) => sum + count(key), 0)
  const { runs = 0, lost = 0, duplicated = 0, unequal = 0 } = totals.schedules ?? {}
  const all = ['all faults', runs, injected, lost, duplicated, unequal]
  const events = EVENTS.map((key) => [key, count(key)])
  const breaches = BREACHES.map((key) => [key, count(key)])
  return [
    table(['what happens', 'schedules', 'times', 'lost', 'duplicated', 'unequal'], [...faults, all]),
    table(['meanwhile', 'times'], events),
    table(['what must not happen', 'times'], breaches),
  ].join('\n\n')
}

/** How long it took until everything had ended after the last fault, for half of the schedules, for nearly all and for all. */
export function formatSettled(settled: Readonly<Record<number, number>>): string {
  const [half, most, longest] = [0.5, 0.99, 1].map((share) => settledWithin(settled, share))
  return `After the last fault, and but for servers that ask for a year and clocks that are wrong by a day, everything had ended within ${longest} s; in half of the schedules within ${half} s, in 99 % within ${most} s.`
}

/** In how many seconds such a share of the schedules had ended after the last fault. */
export function settledWithin(settled: Readonly<Record<number, number>>, share: number): number {
  const times = Object.entries(settled).flatMap(([ms, schedules]) => Array<number>(schedules).fill(Number(ms)))
  times.sort((one, other) => one - other)
  return (times[Math.ceil(times.length * share) - 1] ?? 0) / 1000
}
