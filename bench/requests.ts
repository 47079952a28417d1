import { countPolls } from './support/countPolls.js'
import { atMost, times } from './support/report.js'
import type { Group } from './support/runner.js'

/** Deterministic; `test/pollsMade.test.ts` holds them to it. */
export const requests: Group = async () => {
  const rows = []
  for (const tabs of [1, 5]) {
    for (const observers of [1, 50]) {
      const { polls, fewest } = await countPolls({ tabs, observers })
      rows.push({
        cells: [
          `${tabs} ${tabs === 1 ? 'tab' : 'tabs'}, ${observers} ${observers === 1 ? 'observer' : 'observers'} in each`,
          `${polls}`,
          times(polls / fewest),
        ],
        goal: atMost(1, polls / fewest),
      })
    }
  }
  return [
    {
      title: 'Polls of one task',
      note: 'In a simulated browser, beside the fewest that its length and interval allow.',
      columns: ['', 'polls', 'beside the fewest'],
      rows,
    },
  ]
}
