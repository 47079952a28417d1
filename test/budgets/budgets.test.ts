import { describe, expect, it } from 'vitest'
import { readBudgets } from './keptBudgets.js'
import { measure, SCENARIOS } from './scenarios.js'

const HOW =
  'An hour of a watched call costs something else than its budget in test/budgets/budgets.json. If it costs less, or if it ' +
  'has to cost more: npm run budgets -- --write, which changes the table in docs/sizes.md, too.'

describe('an hour of a watched call', () => {
  it.each(SCENARIOS)(
    'costs what its budget says: $name',
    async (scenario) => {
      expect(await measure(scenario), HOW).toEqual(readBudgets()[scenario.name])
    },
    60_000,
  )

  it('has a budget for each scenario, and no other', () => {
    expect(Object.keys(readBudgets())).toEqual(SCENARIOS.map(({ name }) => name))
  })
})
