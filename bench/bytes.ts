import { measureAdditions } from '../scripts/bundles.mjs'
import { figure, type Row, times } from './support/report.js'
import type { Group } from './support/runner.js'

const CLIENT =
  'Decision 200 lists the bytes of each promise. Tried: parts that a page names, as in `taskwire/core`; loading later what serves 2025-11-25, sign-ins and what holds calls open for `withTasks`; advice of errors in development only. What follows a task and what speaks to the server could be loaded later, too, but a browser that fails to load them may not try again before a reload (decision 124).'
const WITH_TASKS =
  'The error classes come with it, because `TaskError.fromJSON()` names each of them: 1.6 kB. Tried: loading later what follows a task, which would lose the task where that cannot be loaded.'

/** Deterministic; `npm run size` holds these to the budgets in size.json. */
export const bytes: Group = async () => {
  const { createTaskClient, withTasks, 'ext-tasks': extTasks } = await measureAdditions()
  const row = (what: string, size: number, goal?: number, limit?: string): Row => ({
    cells: [what, figure(size / 1000), times(size / extTasks.first)],
    ...(goal !== undefined && {
      goal: { text: `at most ${goal} kB`, isMet: size <= goal * 1000, ...(limit !== undefined && { limit }) },
    }),
  })
  return [
    {
      title: 'Bytes that are added to a Vite app with the SDK client, gzipped, kB',
      note: 'Minified, dependencies included. `npm run size` enforces the budgets in `size.json`.',
      columns: ['', 'kB', 'beside ext-tasks'],
      rows: [
        row('createTaskClient, first load', createTaskClient.first, 22, CLIENT),
        row('createTaskClient, all but for the revision before', createTaskClient.modern, 24, CLIENT),
        row('createTaskClient, every chunk', createTaskClient.all),
        row('withTasks', withTasks.all, 6, WITH_TASKS),
        row('ext-tasks', extTasks.all),
      ],
    },
  ]
}
