import { hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../test/server/support/databases.js'
import { atMost, figure, times } from './support/report.js'
import type { Group } from './support/runner.js'

/** The server past one process: what a call and a poll cost, by the number of tasks that are there. */
export const tasks: Group = async ({ isQuick, medians }) => {
  const rounds = isQuick ? 1 : 3
  const counts = isQuick ? [1000, 10_000] : [1000, 10_000, 100_000]
  const rows = []
  const [echo] = await medians('echo', [{}], rounds)
  rows.push({
    cells: [
      'the SDK alone, a tool that echoes',
      '',
      figure(echo?.callsPerSecond ?? Number.NaN),
      figure(echo?.callP99 ?? Number.NaN),
      '',
      '',
      '',
      '',
    ],
  })
  const stores = [
    { kind: 'memory' as const, name: 'memory', start: undefined },
    ...(hasRedis ? [{ kind: 'redis' as const, name: 'Redis', start: startRedis }] : []),
    { kind: 'postgres' as const, name: 'Postgres', start: startPostgres },
  ]
  for (const { kind, name, start } of stores) {
    let fewest = Number.NaN
    for (const records of counts) {
      // A database of its own: what is measured is how many there are.
      const database = await start?.()
      const [found] = await medians('tasks', [{ kind, url: database?.url ?? '', records }], rounds)
      await database?.stop()
      const call = found?.callMs ?? Number.NaN
      if (Number.isNaN(fewest)) fewest = call
      rows.push({
        cells: [
          `${name}, ${records.toLocaleString('en')} tasks`,
          times(call / fewest),
          figure(found?.callsPerSecond ?? Number.NaN),
          figure(found?.callP99 ?? Number.NaN),
          figure(found?.getsPerSecond ?? Number.NaN),
          figure(found?.getP99 ?? Number.NaN),
          kind === 'memory' ? figure(found?.heapPerTask ?? Number.NaN) : '',
          times((echo?.callsPerSecond ?? Number.NaN) / (found?.callsPerSecond ?? Number.NaN)),
        ],
        goal: atMost(1.5, call / fewest),
      })
    }
  }
  const streams = isQuick ? 1000 : 5000
  const [held] = await medians('streams', [{ streams }], rounds)
  return [
    {
      title: 'Calls that become tasks, and their polls',
      note: `One process, 16 requests at a time, without a network in front; databases on the same machine. ${hasRedis ? '' : WITHOUT_REDIS}`.trim(),
      columns: [
        '',
        'a call, beside the fewest tasks',
        'calls/s',
        'p99, ms',
        'polls/s',
        'p99, ms',
        'heap a task, bytes',
        'the SDK alone ÷ calls/s',
      ],
      rows,
    },
    {
      title: 'Streams of one process',
      note: 'All listen to the same task. Latency is from the end of the task to the last stream that has it.',
      columns: ['', 'heap a stream, bytes', 'to the first, ms', 'to the last, ms'],
      rows: [
        {
          cells: [
            `${streams.toLocaleString('en')} streams`,
            figure(held?.heapPerStream ?? Number.NaN),
            figure(held?.firstMs ?? Number.NaN),
            figure(held?.lastMs ?? Number.NaN),
          ],
        },
      ],
    },
  ]
}
