import { type TaskClient, TaskFailedError } from 'taskwire'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { type OpenPage, openByUrl, openWithSdkV1, type Visit } from './support/eraPages.js'
import { type EraServer, TOOLS } from './support/eraServer.js'
import { startLegacyServer } from './support/legacyServer.js'
import { startModernServer } from './support/modernServer.js'
import { reached } from './support/reached.js'

interface Peer {
  readonly startServer: () => Promise<EraServer>
  readonly openPage: OpenPage
  readonly era: 'modern' | 'legacy'
}

const PEERS = {
  'v2 client, 2026-07-28': { startServer: startModernServer, openPage: openByUrl, era: 'modern' },
  'v2 client, 2025-11-25': { startServer: startLegacyServer, openPage: openByUrl, era: 'legacy' },
  'v1 client': { startServer: startLegacyServer, openPage: openWithSdkV1, era: 'legacy' },
} satisfies Record<string, Peer>

type PeerName = keyof typeof PEERS

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A page of an app with a server behind it. */
interface World {
  readonly server: EraServer
  readonly era: Peer['era']
  openPage(options?: Parameters<OpenPage>[2]): Promise<{ client: TaskClient; leave: () => Promise<void> }>
}

async function createWorld({ startServer, openPage, era }: Peer): Promise<World> {
  const server = await startServer()
  closing.push(server.close)
  const visit: Visit = { storage: memoryStorage() }
  return {
    server,
    era,
    openPage: async (options) => {
      const page = await openPage(server.url, visit, { retry: { baseMs: 10 }, ...options })
      closing.push(page.close)
      return { client: page.client, leave: page.close }
    },
  }
}

const work = (outcome: string, steps = 3) => ({ name: TOOLS.work, arguments: { outcome, steps } })

/** What an app does, and what it sees of it: the same in every column. */
const ROWS: Record<string, (world: World) => Promise<void>> = {
  'an immediate result': async ({ openPage, server, era }) => {
    const { client } = await openPage()
    await expect(client.callTool({ name: TOOLS.echo, arguments: { text: 'hi' } })).resolves.toMatchObject({
      content: [{ type: 'text', text: 'hi' }],
      structuredContent: { text: 'hi' },
    })
    expect(client.store.getState().connection).toMatchObject({ status: 'connected', era, tasks: true })
    expect(client.store.getState().connection.eraReason).toMatch(/\w/)
    expect(server.count('tasks/get')).toBe(0)
  },

  'a task that completes': async ({ openPage, server }) => {
    const { client } = await openPage()
    const call = client.startToolCall(work('success', 5))
    const { task } = await reached(client, call.callId, ({ task }) => task !== undefined)
    expect(task).toMatchObject({ status: 'working', pollIntervalMs: 30 })
    const result = await call.result
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'done' }], structuredContent: { steps: 5 } })
    expect(JSON.stringify(result)).not.toContain('related-task')
    expect(call.getState()).toMatchObject({ phase: 'completed', task: { status: 'completed' } })
    expect(server.count('tools/call')).toBe(1)
  },

  'what the app adds to _meta': async ({ openPage, server }) => {
    const { client } = await openPage()
    client.addCallMeta(() => () => ({ traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }))
    await client.callTool({ name: TOOLS.echo, arguments: { text: 'hi' } })
    await client.callTool(work('success', 1))
    const metas = server.requests.flatMap(({ method, params }) => (method === 'tools/call' ? [params['_meta']] : []))
    expect(metas).toHaveLength(2)
    for (const meta of metas) expect(meta).toHaveProperty('traceparent')
  },

  'a tool that may run as a task': async ({ openPage, server }) => {
    const { client } = await openPage()
    const call = client.startToolCall({ name: TOOLS.workOptionally, arguments: { outcome: 'success', steps: 1 } })
    await expect(call.result).resolves.toMatchObject({ structuredContent: { steps: 1 } })
    expect(call.getState().task).toMatchObject({ status: 'completed' })
    expect(server.count('tasks/get')).toBeGreaterThan(0)
  },

  'a task that fails': async ({ openPage }) => {
    const { client } = await openPage()
    const call = client.startToolCall(work('failure'))
    const error = await call.result.catch((error: unknown) => error)
    expect(error).toBeInstanceOf(TaskFailedError)
    expect(error).toHaveProperty('message', 'Out of paper')
    expect(call.getState().phase).toBe('failed')
  },

  'a task that is cancelled': async ({ openPage, server }) => {
    const { client } = await openPage()
    const call = client.startToolCall(work('success', 10_000))
    await reached(client, call.callId, ({ phase }) => phase === 'working')
    await call.cancel()
    await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
    expect(call.getState()).toMatchObject({ phase: 'cancelled', isCancelling: false })
    expect(server.count('tasks/cancel')).toBe(1)
    expect(server.count('notifications/cancelled')).toBe(0)
  },

  'a tool that says isError': async ({ openPage }) => {
    const { client } = await openPage()
    const call = client.startToolCall(work('tool error'))
    await expect(call.result).resolves.toMatchObject({ isError: true, content: [{ text: 'done' }] })
    expect(call.getState()).toMatchObject({ phase: 'completed', task: { status: 'completed' } })
  },

  'a task that asks a person': async ({ openPage }) => {
    const { client } = await openPage()
    const call = client.startToolCall(work('input'))
    const { inputRequests } = await reached(
      client,
      call.callId,
      ({ inputRequests }) => Object.keys(inputRequests).length > 0,
    )
    expect(call.getState().phase).toBe('input_required')
    const [entry] = Object.entries(inputRequests)
    expect(entry?.[1]).toMatchObject({ method: 'elicitation/create', params: { mode: 'form', message: 'Go on?' } })
    expect(JSON.stringify(entry?.[1])).not.toContain('related-task')
    const key = entry?.[0] ?? ''
    await expect(call.respond(key, { action: 'accept', content: { ok: 'perhaps' } })).rejects.toMatchObject({
      name: 'TaskInputError',
    })
    await call.respond(key, { action: 'accept', content: { ok: true } })
    await expect(call.result).resolves.toMatchObject({ content: [{ text: 'accept {"ok":true}' }] })
    expect(call.getState().inputRequests).toEqual({})
  },

  'a task that asks a handler': async ({ openPage }) => {
    const asked: string[] = []
    const { client } = await openPage({
      input: {
        handlers: {
          elicitation: ({ params }) => {
            asked.push(params.message)
            return { action: 'decline' }
          },
        },
      },
    })
    await expect(client.callTool(work('input'))).resolves.toMatchObject({ content: [{ text: 'decline undefined' }] })
    expect(asked).toEqual(['Go on?'])
  },

  'a task that asks a model': async ({ openPage }) => {
    const content = { type: 'text', text: 'Something.' }
    const { client } = await openPage({
      input: { handlers: { sampling: () => ({ model: 'm', role: 'assistant', content }) } },
    })
    await expect(client.callTool(work('sampling'))).resolves.toMatchObject({
      content: [{ text: JSON.stringify(content) }],
    })
  },

  'a reload in the middle of a task': async ({ openPage, server }) => {
    const first = await openPage()
    const call = first.client.startToolCall(work('success', 20), { key: 'weekly' })
    await reached(first.client, call.callId, ({ phase }) => phase === 'working')
    await first.leave()
    const second = await openPage()
    const again = second.client.startToolCall(work('success', 20), { key: 'weekly' })
    await expect(again.result).resolves.toMatchObject({ structuredContent: { steps: 20 } })
    expect(again.callId).toBe(call.callId)
    expect(server.count('tools/call')).toBe(1)
  },

  'a reload after the end of a task': async ({ openPage, server }) => {
    const first = await openPage()
    await first.client.callTool(work('success'), { key: 'weekly' })
    await first.leave()
    const second = await openPage()
    await expect(second.client.callTool(work('success'), { key: 'weekly' })).resolves.toMatchObject({
      structuredContent: { steps: 3 },
    })
    expect(server.count('tools/call')).toBe(1)
  },

  'a reload while a question is open': async ({ openPage }) => {
    const first = await openPage()
    const call = first.client.startToolCall(work('input'), { key: 'weekly' })
    await reached(first.client, call.callId, ({ inputRequests }) => Object.keys(inputRequests).length > 0)
    await first.leave()
    const second = await openPage()
    const again = second.client.startToolCall(work('input'), { key: 'weekly' })
    const { inputRequests } = await reached(
      second.client,
      call.callId,
      ({ inputRequests }) => Object.keys(inputRequests).length > 0,
    )
    await again.respond(Object.keys(inputRequests)[0] ?? '', { action: 'decline' })
    await expect(again.result).resolves.toMatchObject({ content: [{ text: 'decline undefined' }] })
  },
}

const DELIVERED_ONCE =
  'MCP 2025-11-25 delivers a question once, on the stream of one tasks/result; a page that was not there never hears of it'

/** Cells that the protocol does not have, each with the reason and with what an app sees instead. */
const MISSING: Partial<Record<string, Partial<Record<PeerName, { reason: string; instead: typeof askedInVain }>>>> = {
  'a reload while a question is open': {
    'v2 client, 2025-11-25': { reason: DELIVERED_ONCE, instead: askedInVain },
    'v1 client': { reason: DELIVERED_ONCE, instead: askedInVain },
  },
}

/** The task stands in `input_required` without an input request, and is given up as stuck after a while. */
async function askedInVain({ openPage }: World): Promise<void> {
  const first = await openPage()
  const call = first.client.startToolCall(work('input'), { key: 'weekly' })
  await reached(first.client, call.callId, ({ inputRequests }) => Object.keys(inputRequests).length > 0)
  await first.leave()
  const second = await openPage({ input: { stuckAfterPolls: 3 } })
  const again = second.client.startToolCall(work('input'), { key: 'weekly' })
  await reached(second.client, call.callId, ({ task }) => task?.status === 'input_required')
  expect(again.getState().inputRequests).toEqual({})
  await expect(again.result).rejects.toMatchObject({ name: 'TaskStuckError' })
}

describe.each(Object.entries(PEERS))('%s', (name, peer) => {
  for (const [row, act] of Object.entries(ROWS)) {
    const missing = MISSING[row]?.[name as PeerName]
    if (missing)
      it(`${row} is not in the protocol: ${missing.reason}`, async () => missing.instead(await createWorld(peer)))
    else it(row, async () => act(await createWorld(peer)))
  }
})
