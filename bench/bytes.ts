import { measureAdditions } from '../scripts/bundles.mjs'
import { figure, type Row, times } from './support/report.js'
import type { Group } from './support/runner.js'

const CLIENT =
  'Records that are checked member by member, tabs, push, input requests, sign-in and the words of errors are most of it, and a first call may need any of them. Tried: loading later what serves 2025-11-25 and what holds calls open for `withTasks`; checking forms by rules of our own in place of the validator of the SDK, which saved nothing here. With what follows a task (11.1 kB) and what speaks to the server (10.6 kB) loaded later as well, 19.7 kB would be left; a browser that could not load them may not try again before a reload, so they are not (decision 124).'
const WITH_TASKS =
  'The error classes come with it, for errors cross from tab to tab by name. Tried: loading later what follows a task, which left 8.4 kB at first and would lose the task where that cannot be loaded.'

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
        row('createTaskClient, first load', createTaskClient.first, 18, CLIENT),
        row('createTaskClient, all but for the revision before', createTaskClient.modern, 24, CLIENT),
        row('createTaskClient, every chunk', createTaskClient.all),
        row('withTasks', withTasks.all, 5, WITH_TASKS),
        row('ext-tasks', extTasks.all),
      ],
    },
  ]
}
