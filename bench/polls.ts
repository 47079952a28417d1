import { type Contender, contenders } from './contenders/contender.js'
import { takeOverTime } from './support/clock.js'
import { cpu, heap } from './support/cpu.js'
import { createMemoryServer } from './support/memoryServer.js'
import { atMost, below, figure, type Row, times } from './support/report.js'
import type { Group } from './support/runner.js'

const COMPARED = ['bare loop', 'ext-tasks', 'withTasks', 'createTaskClient'] as const satisfies Contender[]
const LIMITS = {
  unchanged:
    'Each response is learned into a new record, and goes through sign-in, the transport of the SDK and the message to other tabs. Tried: one timer for all calls, no promise and no listener for a call that waits, its place looked at only where it moves, a call that is copied without a change of its layout.',
  changed:
    'What is new makes a new record and a new state, which are compared with the ones before and given to the store. Tried: listeners for each call, a snapshot of the store that is built when it is read, and states that are put together without a change of their layout.',
}
const SECOND = 1000
const SLICE = 100
/** Polls that fall due together, whatever the number of tasks. */
const TOGETHER = 10

/** CPU a poll, in µs, where it finds nothing new and where it finds news, and heap a running task, in kB. */
export async function samplePolls(input: { contender: Contender; tasks: number; cpuMs: number }) {
  const { contender, tasks, cpuMs } = input
  const clock = takeOverTime()
  const server = createMemoryServer()
  const callTool = await contenders[contender](server)
  await Promise.all([...Array.from({ length: 50 }, () => callTool('short')), clock.advance(5 * SECOND)])

  const empty = heap()
  for (let started = 0; started < tasks; started += TOGETHER) {
    for (let one = 0; one < TOGETHER; one++) void callTool('work')
    await clock.advance((TOGETHER * SECOND) / tasks)
  }

  await clock.advance(SECOND)
  const kilobytes = (heap() - empty) / tasks / 1000

  async function cpuPerPoll(atLeastMs: number): Promise<number> {
    const [start, before] = [cpu(), server.polls()]
    let due = 0
    do {
      await clock.advance(SLICE)
      due += (tasks * SLICE) / SECOND
    } while (cpu() - start < atLeastMs)
    const polls = server.polls() - before
    // Else the figures are of something else. A few may fall due together with those of the next slice.
    if (Math.abs(polls - due) > due / 20) throw new Error(`${contender} made ${polls} polls; ${due} were due.`)
    return ((cpu() - start) * 1000) / polls
  }

  // First until the code is compiled.
  await cpuPerPoll(cpuMs)
  const unchanged = await cpuPerPoll(cpuMs)
  let news = 0
  server.revisionOf = () => ++news
  await cpuPerPoll(cpuMs / 2)
  const changed = await cpuPerPoll(cpuMs)
  return { unchanged, changed, heap: kilobytes }
}

const TASKS = [200, 2000, 10_000]
const KINDS = ['unchanged', 'changed'] as const

export const polls: Group = async ({ isQuick, medians }) => {
  const sizes = isQuick ? [200, 2000] : TASKS
  const inputs = sizes.flatMap((tasks) =>
    COMPARED.map((contender) => ({ contender, tasks, cpuMs: isQuick ? 150 : 300 })),
  )
  const found = medians('polls', inputs, isQuick ? 1 : 3)
  const of = (contender: Contender, tasks: number, what: 'unchanged' | 'changed' | 'heap'): number => {
    const index = inputs.findIndex((input) => input.contender === contender && input.tasks === tasks)
    return found[index]?.[what] ?? Number.NaN
  }
  const ratio = (tasks: number, what: 'unchanged' | 'changed' | 'heap') =>
    of('createTaskClient', tasks, what) / of('ext-tasks', tasks, what)

  const [fewest = 0, most = 0] = [sizes[0], sizes.at(-1)]
  const rows = KINDS.flatMap((kind): Row[] => {
    const news = kind === 'unchanged' ? 'nothing new' : 'news each time'
    const growth = (contender: Contender) => of(contender, most, kind) / of(contender, fewest, kind)
    return [
      ...sizes.map((tasks) => ({
        cells: [
          `${tasks} tasks, ${news}`,
          ...COMPARED.map((contender) => figure(of(contender, tasks, kind))),
          times(ratio(tasks, kind)),
        ],
        goal: below(0.35, ratio(tasks, kind), 'ext-tasks', LIMITS[kind]),
      })),
      {
        cells: [`${most} beside ${fewest}, ${news}`, ...COMPARED.map((contender) => times(growth(contender))), ''],
        goal: atMost(1.3, growth('createTaskClient')),
      },
    ]
  })
  return [
    {
      title: 'CPU a poll, µs',
      note: 'Each task is polled once a second, ten at a time, over a transport in memory that answers at once.',
      columns: ['', ...COMPARED, 'createTaskClient ÷ ext-tasks'],
      rows,
    },
    {
      title: 'Heap a running task, kB',
      note: 'After a collection of garbage, each task polled at least once.',
      columns: ['', ...COMPARED, 'createTaskClient ÷ ext-tasks'],
      rows: [
        {
          cells: [
            '2000 tasks',
            ...COMPARED.map((contender) => figure(of(contender, 2000, 'heap'))),
            times(ratio(2000, 'heap')),
          ],
          goal: atMost(0.25, ratio(2000, 'heap')),
        },
      ],
    },
  ]
}
