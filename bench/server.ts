import { hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../test/server/support/databases.js'
import { figure, type Goal, type Row, type Table, times } from './support/report.js'
import type { Group, Runner } from './support/runner.js'

const SETUPS = [
  { kind: 'memory' as const, name: 'memory', start: undefined, hasQueue: false, goal: undefined },
  ...(hasRedis
    ? [
        { kind: 'redis' as const, name: 'Redis', start: startRedis, hasQueue: false, goal: 2.5 },
        { kind: 'redis' as const, name: 'Redis and its queue', start: startRedis, hasQueue: true, goal: 2.5 },
      ]
    : []),
  { kind: 'postgres' as const, name: 'Postgres', start: startPostgres, hasQueue: false, goal: 2 },
  { kind: 'postgres' as const, name: 'Postgres and its queue', start: startPostgres, hasQueue: true, goal: 2.5 },
]
const MOST_GROWTH = 1.5

/** The server past one process: what a call, a poll and a stream cost, by the number of tasks that are there. */
export const server: Group = async (runner) => [
  await callsAndPolls(runner),
  await wholeLives(runner),
  await streamsHeld(runner),
]

async function callsAndPolls({ isQuick, medians }: Runner): Promise<Table> {
  const rows: Row[] = []
  for (const { kind, name, start, hasQueue, goal } of SETUPS) {
    let fewest: number | undefined
    for (const records of isQuick ? [1000, 10_000] : [1000, 10_000, 100_000]) {
      // A database of its own: what is measured is how many there are.
      const database = await start?.()
      const [found] = await medians('tasks', [{ kind, url: database?.url ?? '', hasQueue, records }], 1)
      await database?.stop()
      const of = (value: number | undefined) => figure(value ?? Number.NaN)
      const byEcho = found?.callByEcho ?? Number.NaN
      fewest ??= byEcho
      rows.push({
        cells: [
          `${name}, ${records.toLocaleString('en')} tasks`,
          of(found?.echoesPerSecond),
          of(found?.echoP99),
          of(found?.callsPerSecond),
          of(found?.callP99),
          times(byEcho),
          times(found?.cpuByEcho ?? Number.NaN),
          times(byEcho / fewest),
          of(found?.getsPerSecond),
          of(found?.getP99),
          of(found?.bytesPerTask),
        ],
        goal: goalOf(byEcho, byEcho / fewest, goal),
      })
    }
  }
  const bytes = 'Bytes are those of the heap of the process, of Redis, of the table of Postgres with its indexes.'
  return {
    title: 'Calls that become tasks, and their polls',
    note: `In turn: a tool that echoes on the handler of the SDK alone, a \`tools/call\` that becomes a task, \`tasks/get\`. All are of one owner. "Beside an echo" is what a call takes beside an echo that is measured in turn with it, and "CPU beside an echo" what this process computes for it, without the database; "growth" is that beside the fewest tasks. Without a queue the server runs the tool; with its queue, which is BullMQ on Redis, and the table of tasks on Postgres, it leaves that to workers, of which there are none. ${bytes} ${hasRedis ? '' : WITHOUT_REDIS}`.trim(),
    columns: [
      '',
      'echoes/s',
      'p99, ms',
      'calls/s',
      'p99, ms',
      'beside an echo',
      'CPU beside an echo',
      'growth',
      'polls/s',
      'p99, ms',
      'a task, bytes',
    ],
    rows,
  }
}

/** What a call may cost beside an echo, and beside a call with the fewest tasks. */
function goalOf(byEcho: number, growth: number, most?: number): Goal {
  const ofGrowth = `growth ${MOST_GROWTH} ×`
  return {
    text: most === undefined ? ofGrowth : `${most} ×, ${ofGrowth}`,
    isMet: growth <= MOST_GROWTH && (most === undefined || byEcho <= most),
  }
}

async function wholeLives({ medians }: Runner): Promise<Table> {
  const rows: Row[] = []
  for (const { kind, name, start } of SETUPS.filter(({ hasQueue }) => !hasQueue)) {
    const database = await start?.()
    const [found] = await medians('lives', [{ kind, url: database?.url ?? '' }], 1)
    await database?.stop()
    const of = (value: number | undefined) => figure(value ?? Number.NaN)
    rows.push({
      cells: [
        name,
        of(found?.echoesPerSecond),
        of(found?.livesPerSecond),
        times(found?.lifeByEcho ?? Number.NaN),
        times(found?.cpuByEcho ?? Number.NaN),
        of(found?.pollsPerLife),
      ],
    })
  }
  return {
    title: 'Whole lives of tasks',
    note: 'In turn, 64 at a time: an echo on the handler of the SDK alone that waits for 1 ms, and a `tools/call` that becomes a task, whose tool waits for 1 ms and returns, and whose result its caller fetches by a `tasks/get` every 10 ms. The server runs the tool.',
    columns: ['', 'echoes/s', 'lives/s', 'beside an echo', 'CPU beside an echo', 'polls a life'],
    rows,
  }
}

async function streamsHeld({ isQuick, medians }: Runner): Promise<Table> {
  const streams = isQuick ? 1000 : 5000
  const [held] = await medians('streams', [{ streams }], isQuick ? 1 : 3)
  const of = (value: number | undefined) => figure(value ?? Number.NaN)
  return {
    title: 'Streams that one process holds',
    note: 'All but one listen to the same task. Latency is from the end of a task to the stream that tells of it.',
    columns: ['', 'heap a stream, bytes', 'to the only one, ms', 'to the first of all, ms', 'to the last of all, ms'],
    rows: [
      {
        cells: [
          `${streams.toLocaleString('en')} streams`,
          of(held?.heapPerStream),
          of(held?.aloneMs),
          of(held?.firstMs),
          of(held?.lastMs),
        ],
      },
    ],
  }
}
