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
}

/** Adds what one run has counted. */
export function addRun(totals: ChaosTotals, counts: Tally['counts']): void {
  const lost = counts['task lost'] ? 1 : 0
  const duplicated = counts['call duplicated'] ? 1 : 0
  const entries = Object.entries({ schedules: 1, ...counts }) as [TallyKey | 'schedules', number][]
  for (const [key, times] of entries) add(totals, key, { runs: 1, times, lost, duplicated })
}

export function addTotals(totals: ChaosTotals, others: ChaosTotals): void {
  for (const [key, total] of Object.entries(others)) add(totals, key as TallyKey, total)
}

function add(totals: ChaosTotals, key: TallyKey | 'schedules', { runs, times, lost, duplicated }: Total): void {
  const total = totals[key] ?? { runs: 0, times: 0, lost: 0, duplicated: 0 }
  total.runs += runs
  total.times += times
  total.lost += lost
  total.duplicated += duplicated
  totals[key] = total
}

/** The totals in Markdown: what was done, and what came of it. */
export function formatTotals(totals: ChaosTotals): string {
  const count = (key: TallyKey | 'schedules') => totals[key]?.times ?? 0
  const faults = [...NETWORK_FAULTS, ...PAGE_FAULTS, ...APP_ACTIONS].map((key) => {
    const { runs = 0, times = 0, lost = 0, duplicated = 0 } = totals[key] ?? {}
    return [key, runs, times, lost, duplicated].map(format)
  })
  const kinds = [...NETWORK_FAULTS, ...PAGE_FAULTS]
  const injected = kinds.reduce((sum, key) => sum + count(key), 0)
  const { runs = 0, lost = 0, duplicated = 0 } = totals.schedules ?? {}
  const all = ['all faults', runs, injected, lost, duplicated].map(format)
  const events = EVENTS.map((key) => [key, count(key)].map(format))
  const breaches = BREACHES.map((key) => [key, count(key)].map(format))
  return [
    table(['what happens', 'schedules', 'times', 'lost', 'duplicated'], [...faults, all]),
    table(['meanwhile', 'times'], events),
    table(['what must not happen', 'times'], breaches),
  ].join('\n\n')
}

function format(value: string | number): string {
  return typeof value === 'string' ? value : value.toLocaleString('en')
}

/** A table as the formatter leaves it: the first column left, the others right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => {
    const padded = cells.map((cell, column) => {
      const width = widths[column] ?? 0
      return column === 0 ? cell.padEnd(width) : cell.padStart(width)
    })
    return `| ${padded.join(' | ')} |`
  }
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}
