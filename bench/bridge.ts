import { setImmediate } from 'node:timers/promises'
import { createTaskClient, type TaskClient } from 'taskwire'
import { createTaskBridge } from 'taskwire/bridge/server'
import { createTaskServer, defineTool } from 'taskwire/server'
import { z } from 'zod'
import { cpu } from './support/cpu.js'
import { figure, times } from './support/report.js'
import type { Group } from './support/runner.js'

const PAGES = 500

/**
 * How long after a change in the client of the backend each page has it, in ms: that of a user with one page, and that of a user
 * with many, in turn in one process.
 */
export async function samplePages({ pages, changes }: { pages: number; changes: number }): Promise<{
  aloneP95: number
  manyP50: number
  manyP95: number
  aloneCpu: number
  manyCpu: number
  bytes: number
}> {
  const goOn = new Map<string, () => void>()
  const work = defineTool({
    name: 'work',
    taskSupport: 'required',
    inputSchema: z.object({ user: z.string() }),
    async handler({ user }, { progress }) {
      for (let step = 1; ; step += 1) {
        await new Promise<void>((resolve) => goOn.set(user, resolve))
        await progress(step, undefined, `step ${step}`)
      }
    },
  })
  const server = createTaskServer({ serverInfo: { name: 'bench', version: '1.0.0' }, tools: [work] })
  const clients = new Map<string, TaskClient>()
  const bridge = createTaskBridge({
    clientOf: ({ headers }) => clients.get(headers.get('x-user') ?? ''),
    allow: { tools: ['work'] },
    maxStreams: pages,
    heartbeatMs: Number.POSITIVE_INFINITY,
  })

  /** A user with so many pages, whose call changes when `change()` is called; that resolves when every page has read it. */
  async function open(user: string, count: number) {
    let changedAt = 0
    let waiting = 0
    let bytes = 0
    let isChanging = false
    let onRead = () => {}
    const latencies: number[] = []
    const client = createTaskClient({
      url: 'https://bench.example/mcp',
      scope: user,
      storage: 'memory',
      batchUpdates: false,
      transportOptions: { fetch: (url, init) => server.fetch(new Request(url, init)) },
    })
    clients.set(user, client)
    const call = client.startToolCall({ name: 'work', arguments: { user } })
    call.result.catch(() => {})
    call.subscribe(() => {
      if (!isChanging) return
      isChanging = false
      changedAt = performance.now()
    })
    while (!goOn.has(user)) await setImmediate()

    async function openPage(): Promise<void> {
      const request = new Request('http://localhost/api/calls', { headers: { 'x-user': user } })
      const response = await bridge.fetch(request)
      if (!response.ok || response.body === null) throw new Error(`The page has no stream: ${await response.text()}`)
      void read(response.body)
    }

    async function read(body: ReadableStream<Uint8Array>): Promise<void> {
      for await (const chunk of body) {
        if (waiting === 0) continue
        latencies.push(performance.now() - changedAt)
        bytes += chunk.byteLength
        waiting -= 1
        if (waiting === 0) onRead()
      }
    }
    // The first has the bridge read the calls of the user, for which not so many may wait.
    await openPage()
    await Promise.all(Array.from({ length: count - 1 }, openPage))
    // The pages have what was there before.
    for (let turn = 0; turn < 200; turn += 1) await setImmediate()

    return {
      latencies,
      bytesOfChange: () => bytes / latencies.length,
      change: async () => {
        const begun = cpu()
        await new Promise<void>((resolve) => {
          onRead = resolve
          waiting = count
          isChanging = true
          goOn.get(user)?.()
        })
        const used = cpu() - begun
        for (let turn = 0; turn < 10; turn += 1) await setImmediate()
        return used
      },
    }
  }

  const alone = await open('alone', 1)
  const many = await open('many', pages)
  let [aloneCpu, manyCpu] = [0, 0]
  const warmUp = Math.ceil(changes / 5)
  for (let change = -warmUp; change < changes; change += 1) {
    if (change === 0) for (const user of [alone, many]) user.latencies.length = 0
    const used = [await alone.change(), await many.change()] as const
    if (change < 0) continue
    aloneCpu += used[0]
    manyCpu += used[1]
  }
  const at = (share: number, values: readonly number[]) =>
    [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
  return {
    aloneP95: at(0.95, alone.latencies),
    manyP50: at(0.5, many.latencies),
    manyP95: at(0.95, many.latencies),
    aloneCpu: aloneCpu / changes,
    manyCpu: manyCpu / changes,
    bytes: many.bytesOfChange(),
  }
}

/** What pages cost the process of their backend. */
export const bridge: Group = async ({ isQuick, medians }) => {
  const [found] = await medians('pages', [{ pages: PAGES, changes: isQuick ? 50 : 300 }], isQuick ? 1 : 3)
  const of = (value: number | undefined) => figure(value ?? Number.NaN)
  const ratio = (found?.manyP95 ?? Number.NaN) / (found?.aloneP95 ?? Number.NaN)
  return [
    {
      title: 'Pages of a backend that see the same change',
      note: 'One process, by `bridge.fetch` and without a network. From the change in the client of the backend to the page that has read it; the CPU is that of the whole process for one change, the MCP server and the reading pages included.',
      columns: ['', 'p50, ms', 'p95, ms', 'beside the only page', 'CPU, ms', 'CPU a page, µs', 'bytes a page'],
      rows: [
        { cells: ['the only page', '', of(found?.aloneP95), '1.00 ×', of(found?.aloneCpu), '', ''] },
        {
          cells: [
            `${PAGES} pages`,
            of(found?.manyP50),
            of(found?.manyP95),
            times(ratio),
            of(found?.manyCpu),
            of(((found?.manyCpu ?? Number.NaN) * 1000) / PAGES),
            of(found?.bytes),
          ],
        },
      ],
    },
  ]
}
