import type { TaskStorage } from 'taskwire'
import { openPage } from './contenders/taskClient.js'
import { takeOverTime } from './support/clock.js'
import { cpu } from './support/cpu.js'
import { createMemoryServer } from './support/memoryServer.js'
import { atMost, figure, median, type Row, times } from './support/report.js'
import type { Group } from './support/runner.js'

const SECOND = 1000
/** A page keeps a thousand records of a server. */
const RECORDS = [0, 250, 1000] as const
const CALLS_A_VISIT = 100
const LIMIT =
  'The text of each record is read to find what still runs. Tried: records of ended tasks are parsed after the first poll, a hundred at a time. An index of records was not tried: tabs could disagree about it.'

/** How a page gets back to the task: by looking for all there are, or by making the call of its key again. */
const WAYS = ['resume', 'key'] as const
type Way = (typeof WAYS)[number]

/** CPU from the making of a client to the first poll of a task of an earlier visit, in ms, and the ms that it waited. */
export async function samplePage({ pages }: { pages: number }) {
  const clock = takeOverTime()
  const server = createMemoryServer()
  const items = new Map<string, string>()

  /** What a client loads when it connects takes turns that the clock does not wait for. */
  async function load(): Promise<void> {
    const client = openPage(server, 'memory')
    await client.connect()
    await Promise.all([client.close(), clock.advance(SECOND)])
  }

  async function visit(calls: number, tool: 'work' | 'short'): Promise<void> {
    const client = openPage(server, storageOf(items))
    const first = items.size
    for (let call = first; call < first + calls; call++) client.startToolCall({ name: tool }, { key: `key-${call}` })
    await clock.advance(2 * SECOND)
    await Promise.all([client.close(), clock.advance(SECOND)])
  }

  async function open(kept: ReadonlyMap<string, string>, way: Way) {
    const [storage, before] = [storageOf(new Map(kept)), server.polls()]
    globalThis.gc?.()
    const [start, from] = [cpu(), clock.now()]
    const client = openPage(server, storage)
    if (way === 'resume') void client.resumeToolCalls()
    else client.startToolCall({ name: 'work' }, { key: 'key-0' })
    await clock.advance(0)
    while (server.polls() === before) await clock.advance(1)
    const found = { cpu: cpu() - start, waited: clock.now() - from }
    await Promise.all([client.close(), clock.advance(SECOND)])
    return found
  }

  await load()
  // The task that runs; then visits that leave records of calls that have ended.
  await visit(1, 'work')
  const kept = new Map<number, ReadonlyMap<string, string>>()
  for (const records of RECORDS) {
    while (items.size < records) await visit(Math.min(CALLS_A_VISIT, records - items.size), 'short')
    kept.set(records, new Map(items))
  }

  const found = WAYS.flatMap((way) =>
    RECORDS.map((records) => ({ way, records, cpu: [] as number[], waited: [] as number[] })),
  )
  // The first ones until the code is compiled.
  for (let page = -5; page < pages; page++) {
    for (const each of found) {
      const { cpu, waited } = await open(kept.get(each.records) ?? new Map(), each.way)
      if (page < 0) continue
      each.cpu.push(cpu)
      each.waited.push(waited)
    }
  }
  const figures = found.flatMap(({ way, records, cpu, waited }) => [
    [`${way} ${records} cpu`, median(cpu)],
    [`${way} ${records} waited`, median(waited)],
  ])
  return Object.fromEntries(figures) as Record<`${Way} ${number} ${'cpu' | 'waited'}`, number>
}

/** A storage that answers at once, as a page's does. */
function storageOf(items: Map<string, string>): TaskStorage {
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    keys: () => [...items.keys()],
  }
}

export const records: Group = async ({ isQuick, medians }) => {
  const [found] = medians('page', [{ pages: isQuick ? 5 : 25 }], 1)
  const rows = WAYS.flatMap((way) =>
    RECORDS.map((count): Row => {
      const [taken, none] = [found?.[`${way} ${count} cpu`], found?.[`${way} 0 cpu`]].map((ms) => ms ?? Number.NaN)
      const ratio = (taken ?? Number.NaN) / (none ?? Number.NaN)
      return {
        cells: [
          `${way === 'resume' ? 'resumeToolCalls()' : 'the same key'}, ${count} records`,
          figure(taken ?? Number.NaN),
          times(ratio),
          figure(found?.[`${way} ${count} waited`] ?? Number.NaN),
        ],
        ...(count > 0 && { goal: atMost(2, ratio, LIMIT) }),
      }
    }),
  )
  return [
    {
      title: 'A page with old records in its storage, to the first poll',
      note: 'From `createTaskClient` to the first poll of the one task that still runs; the records are those of keyed calls that have ended. `waited` is what timers have to let pass at least.',
      columns: ['', 'CPU, ms', 'beside none', 'waited, ms'],
      rows,
    },
  ]
}
