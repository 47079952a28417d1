import { table } from '../seeded/table.js'
import {
  BREACHES,
  type Counts,
  EVENTS,
  OTHER_MANGLES,
  REQUEST_MANGLES,
  RESPONSE_MANGLES,
  type TallyKey,
} from './kinds.js'

/** What many runs have counted: in how many of them something came up, and how often. */
export type FuzzTotals = Partial<Record<TallyKey, { runs: number; times: number }>>

/** Adds what one run has counted. */
export function addRun(totals: FuzzTotals, counts: Counts): void {
  for (const [key, times] of Object.entries(counts)) add(totals, key as TallyKey, 1, times)
}

export function addTotals(totals: FuzzTotals, others: FuzzTotals): void {
  for (const [key, { runs, times }] of Object.entries(others)) add(totals, key as TallyKey, runs, times)
}

function add(totals: FuzzTotals, key: TallyKey, runs: number, times: number): void {
  const total = totals[key] ?? { runs: 0, times: 0 }
  totals[key] = { runs: total.runs + runs, times: total.times + times }
}

/** The totals in Markdown: what was mangled, and what came of it. */
export function formatTotals(totals: FuzzTotals): string {
  const row = (key: TallyKey) => [key, totals[key]?.runs ?? 0, totals[key]?.times ?? 0]
  const count = (key: TallyKey) => [key, totals[key]?.times ?? 0]
  return [
    table(['what is mangled', 'runs', 'times'], [...RESPONSE_MANGLES, ...REQUEST_MANGLES, ...OTHER_MANGLES].map(row)),
    table(['meanwhile', 'times'], EVENTS.map(count)),
    table(['what must not happen', 'times'], BREACHES.map(count)),
  ].join('\n\n')
}
