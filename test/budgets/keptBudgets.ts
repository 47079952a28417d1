import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Cost } from './meter.js'

/** What each scenario may cost, by its name. */
export type Budgets = Readonly<Record<string, Cost>>

const FILE = fileURLToPath(new URL('budgets.json', import.meta.url))

export function readBudgets(): Budgets {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

export function writeBudgets(budgets: Budgets): void {
  writeFileSync(FILE, `${JSON.stringify(budgets, null, 2)}\n`)
}
