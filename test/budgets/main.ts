import { readFileSync, writeFileSync } from 'node:fs'
import { checkBudgets } from '../../scripts/budgets.mjs'
import { type Budgets, readBudgets, writeBudgets } from './keptBudgets.js'
import type { Cost, Counted } from './meter.js'
import { measure, SCENARIOS } from './scenarios.js'

// What an hour of a watched call costs: `npm run budgets` prints what differs from the budgets, `-- --write` writes the
// budgets and the table in docs/sizes.md.

const PAGE = 'docs/sizes.md'

const measured: Record<string, Cost> = {}
for (const scenario of SCENARIOS) measured[scenario.name] = await measure(scenario)

const isWriting = process.argv.includes('--write')
const before: Budgets = isWriting ? {} : readBudgets()
for (const [name, cost] of Object.entries(measured)) {
  const costs = Object.entries(cost) as [Counted, number][]
  const changes = costs.flatMap(([what, count]) => {
    const budget = before[name]?.[what]
    return budget === count ? [] : [`${what} ${budget === undefined ? '' : `${budget} → `}${count}`]
  })
  console.log(`${name}: ${changes.length === 0 ? 'as budgeted' : changes.join(', ')}`)
  if (changes.length > 0 && !isWriting) process.exitCode = 1
}
if (isWriting) {
  writeBudgets(measured)
  writeFileSync(PAGE, checkBudgets(readFileSync(PAGE, 'utf8'), measured).text)
}
// The SDK may have timers left, in real time.
process.exit()
