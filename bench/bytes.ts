import { measureAdditions } from '../scripts/bundles.mjs'
import { figure, type Row, times } from './support/report.js'
import type { Group } from './support/runner.js'

/** Deterministic; `npm run size` holds these to the budgets in size.json. */
export const bytes: Group = async () => {
  const { createTaskClient, withTasks, 'ext-tasks': extTasks } = await measureAdditions()
  const row = (what: string, size: number, goal?: number): Row => ({
    cells: [what, figure(size / 1000), times(size / extTasks.first)],
    ...(goal !== undefined && { goal: { text: `at most ${goal} kB`, isMet: size <= goal * 1000 } }),
  })
  return [
    {
      title: 'Bytes that are added to a Vite app with the SDK client, gzipped, kB',
      note: 'Minified, dependencies included. `npm run size` enforces the budgets in `size.json`.',
      columns: ['', 'kB', 'beside ext-tasks'],
      rows: [
        row('createTaskClient, first load', createTaskClient.first, 18),
        row('createTaskClient, all but for the revision before', createTaskClient.modern, 24),
        row('createTaskClient, every chunk', createTaskClient.all),
        row('withTasks', withTasks.all, 5),
        row('ext-tasks', extTasks.all),
      ],
    },
  ]
}
