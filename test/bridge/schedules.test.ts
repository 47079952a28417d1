import { type TaskClient, type ToolCall, ToolCallInterruptedError, type ToolCallState } from 'taskwire'
import { defineTool } from 'taskwire/server'
import { createTestServer, type SimulatedPage } from 'taskwire/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createBridgedBackend, type PageNetwork } from '../support/bridgedBackend.js'

/** Numbers in [0, 1) that are the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed * 2654435761
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

interface OpenPage {
  readonly client: TaskClient
  readonly page: SimulatedPage
  readonly network: PageNetwork
  isFrozen: boolean
}

function setUp(seed: number) {
  /** How often the tool has run, by key. */
  const runs = new Map<string, number>()
  const work = defineTool({
    name: 'work',
    taskSupport: 'optional',
    inputSchema: z.object({ key: z.string(), seconds: z.number() }),
    handler: async ({ key, seconds }, ctx) => {
      runs.set(key, (runs.get(key) ?? 0) + 1)
      for (let step = 1; step <= seconds; step++) {
        await ctx.sleep(1000)
        await ctx.progress(`step ${step}`)
      }
      return { content: [{ type: 'text', text: key }] }
    },
  })
  const server = createTestServer({
    tools: [work],
    onError: () => {},
    browser: { turns: 60, random: chance(seed + 7) },
  })
  return { server, backend: createBridgedBackend(server), runs, random: chance(seed) }
}

/** Pages, networks and backends as they fail; then everything is well again, and all has to be told. */
async function play(seed: number) {
  const { server, backend, runs, random } = setUp(seed)
  const pages: OpenPage[] = []
  const calls: { readonly call: ToolCall; readonly key: string; readonly of: OpenPage }[] = []
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]
  const open = () => {
    const opened = { ...backend.openPage(), isFrozen: false }
    void opened.client.resumeToolCalls()
    pages.push(opened)
  }
  const steps: Record<string, () => unknown> = {
    open: () => pages.length < 3 && open(),
    start: () => {
      const of = pick(pages)
      if (of === undefined || of.isFrozen) return
      const key = `call-${calls.length}`
      const params = { name: 'work', arguments: { key, seconds: Math.floor(random() * 6) } }
      calls.push({ call: of.client.startToolCall(params, { key }), key, of })
    },
    join: () => {
      const known = pick(calls)
      const of = pick(pages.filter(({ isFrozen }) => !isFrozen))
      const args = known?.call.getState().arguments
      if (known !== undefined && of !== undefined && args !== undefined)
        calls.push({
          call: of.client.startToolCall({ name: 'work', arguments: args }, { key: known.key }),
          key: known.key,
          of,
        })
    },
    dropStreams: () => pick(pages)?.network.dropStreams(),
    cut: () => pick(pages)?.network.cut(),
    mend: () => pick(pages)?.network.mend(),
    loseAnswers: () => pick(pages)?.network.loseAnswers(1 + Math.floor(random() * 2)),
    restart: () => backend.restart(),
    freeze: () => {
      const frozen = pick(pages)
      frozen?.page.freeze()
      if (frozen) frozen.isFrozen = true
    },
    thaw: async () => {
      const frozen = pick(pages.filter(({ isFrozen }) => isFrozen))
      if (frozen) frozen.isFrozen = false
      await frozen?.page.thaw()
    },
    close: async () => {
      if (pages.length < 2) return
      const [closed] = pages.splice(Math.floor(random() * pages.length), 1)
      await closed?.page.crash()
    },
  }
  open()
  for (let at = 0; at < 30; at++) {
    await pick(Object.values(steps))?.()
    await server.advance(Math.floor(random() * 1500))
  }
  for (const each of pages) {
    each.network.mend()
    each.network.loseAnswers(0)
    if (each.isFrozen) await each.page.thaw()
  }
  await server.advance(150_000)
  return { backend, runs, pages, calls }
}

const shown = (client: TaskClient) =>
  Object.values(client.store.getState().calls)
    // A backend that was started again has the outcome when somebody looks.
    .map(
      ({ key, phase, network, error }) =>
        `${key} ${phase.replace('ended', 'completed')} ${network} ${error?.name ?? ''}`,
    )
    .sort()

it.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
  'after schedule %d every page shows what the backend has, and no call was made twice or lost',
  async (seed) => {
    const { backend, runs, pages, calls } = await play(seed)
    for (const { client } of pages) {
      expect(client.store.getState().connection.status).toBe('connected')
      expect(shown(client)).toEqual(shown(backend.clientOf('ada')))
    }
    expect([...runs.values()].filter((count) => count > 1)).toEqual([])
    // A process that is killed between a `tools/call` and its response cannot know what became of it.
    const isKnown = ({ error }: ToolCallState) => !(error instanceof ToolCallInterruptedError)
    const open = calls.filter(({ of, call }) => pages.includes(of) && isKnown(call.getState()))
    expect(open.map(({ call, key }) => `${key} ${call.getState().phase}`)).toEqual(
      open.map(({ key }) => `${key} completed`),
    )
  },
)
