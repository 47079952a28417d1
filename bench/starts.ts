import { type Contender, contenders } from './contenders/contender.js'
import { settle, takeOverTime } from './support/clock.js'
import { cpu } from './support/cpu.js'
import { createMemoryServer, type MemoryTool } from './support/memoryServer.js'
import { atMost, below, figure, type Row, times } from './support/report.js'
import type { Group } from './support/runner.js'

const COMPARED = ['bare loop', 'ext-tasks', 'withTasks', 'createTaskClient'] as const satisfies Contender[]
const AT_ONCE = ['SDK alone', 'ext-tasks', 'withTasks', 'createTaskClient'] as const satisfies Contender[]
const BATCH = 20
const LIMIT =
  'A start is recorded twice, before `tools/call` goes out and when the task is there, and other tabs are told: without that a reload would lose it. It also goes through the SDK client, which validates it; ext-tasks keeps nothing and is given the shortest way to the server. Tried: nothing is copied or listed for each call that runs, records are swept after the call and the less often the more there are, calls and states are objects whose layout engines share, a call on an open connection does not wait, a new task is told once, and a task on its way through the SDK is no error with a stack. What is left by share: the SDK client a fifth, the abort signals of the call a tenth, the texts of records and messages a tenth.'
const GROWTH_LIMIT =
  'More tasks at work make collecting garbage dearer, for ext-tasks too, and the records of all are swept now and then. Tried: a sweep after the call, in pauses, and the less often the more records there are.'
/** What a client may remember of a call that has ended is gone after this time, ms. */
const UNTIL_FORGOTTEN = 6 * 60 * 1000

/** CPU to start a call of a tool while so many tasks run, in µs. */
export async function sampleStarts(input: {
  contender: Contender
  tool: MemoryTool
  running: number
  batches: number
}) {
  const { contender, tool, running, batches } = input
  const clock = takeOverTime()
  const server = createMemoryServer()
  const callTool = await contenders[contender](server)

  /** Starts so many, waits for them to end, and returns the CPU that starting them took, in ms. */
  async function batch(): Promise<number> {
    const start = cpu()
    const made = server.calls()
    const calls = Array.from({ length: BATCH }, () => callTool(tool))
    for (let turn = 0; turn < 5; turn++) await settle()
    const taken = cpu() - start
    if (server.calls() - made !== BATCH) throw new Error(`${contender} has not started all calls.`)
    await clock.advance(UNTIL_FORGOTTEN)
    await Promise.all(calls)
    return taken
  }

  // Until the code is compiled, which the calls that run meanwhile would do otherwise, the more the more they are.
  for (let made = 0; made < 4 * batches; made++) await batch()
  for (let started = 0; started < running; started += 10) {
    for (let one = 0; one < 10; one++) void callTool('idle')
    await settle()
  }
  await batch()
  let taken = 0
  for (let made = 0; made < batches; made++) taken += await batch()
  return { start: (taken * 1000) / (batches * BATCH) }
}

const RUNNING = [10, 1000, 10_000]

export const starts: Group = async ({ isQuick, medians }) => {
  const sizes = isQuick ? [10, 1000] : RUNNING
  const [rounds, batches] = isQuick ? [1, 15] : [3, 50]
  const inputs = sizes.flatMap((running) =>
    COMPARED.map((contender) => ({ contender, running, batches, tool: 'short' as const })),
  )
  const found = medians('starts', inputs, rounds)
  const of = (contender: Contender, running: number): number => {
    const index = inputs.findIndex((input) => input.contender === contender && input.running === running)
    return found[index]?.start ?? Number.NaN
  }
  const [fewest = 0, most = 0] = [sizes[0], sizes.at(-1)]
  const growth = (contender: Contender) => of(contender, most) / of(contender, fewest)
  const rows: Row[] = sizes.map((running) => {
    const ratio = of('createTaskClient', running) / of('ext-tasks', running)
    return {
      cells: [`${running} running`, ...COMPARED.map((contender) => figure(of(contender, running))), times(ratio)],
      goal: below(1, ratio, 'ext-tasks', LIMIT),
    }
  })
  rows.push({
    cells: [`${most} beside ${fewest}`, ...COMPARED.map((contender) => times(growth(contender))), ''],
    goal: atMost(1.3, growth('createTaskClient'), GROWTH_LIMIT),
  })

  const atOnce = medians(
    'starts',
    AT_ONCE.map((contender) => ({ contender, running: 0, batches, tool: 'echo' as const })),
    rounds,
  ).map((sample) => sample?.start ?? Number.NaN)
  const [plain, ours] = [atOnce[0] ?? Number.NaN, atOnce.at(-1) ?? Number.NaN]
  return [
    {
      title: 'CPU to start a call that becomes a task, µs',
      note: 'Twenty at a time, from the call to the task, while others run that are not polled meanwhile.',
      columns: ['', ...COMPARED, 'createTaskClient ÷ ext-tasks'],
      rows,
    },
    {
      title: 'CPU of a call that is answered at once, µs',
      note: 'What tasks cost the calls that never become one.',
      columns: ['', ...AT_ONCE],
      rows: [
        { cells: ['a call', ...atOnce.map(figure)] },
        {
          cells: ['beside the SDK alone', ...atOnce.map((value) => times(value / plain))],
          goal: atMost(1.5, ours / plain, LIMIT),
        },
      ],
    },
  ]
}
