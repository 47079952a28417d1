import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { createTaskClient, type TaskClient, type ToolCallState } from 'taskwire'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { startHttpServer } from '../support/httpServer.js'
import { type OpenPage, openByUrl, openWithSdkV1, openWithSdkV2 } from './support/eraPages.js'
import { TOOLS } from './support/eraServer.js'
import { startLegacyServer } from './support/legacyServer.js'
import { reached } from './support/reached.js'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A server by SDK v1 that is polled for a task once at most: what is shown of its progress was notified. */
async function startServer() {
  const server = await startLegacyServer({ pollIntervalMs: 600_000, waitsForListener: true })
  closing.push(server.close)
  return server
}

async function open(openPage: OpenPage, url: string): Promise<TaskClient> {
  // Each notification is shown, however fast the next one comes.
  const { client, close } = await openPage(url, { storage: memoryStorage() }, { batchUpdates: false })
  closing.push(close)
  return client
}

/** Every progress that a call shows, in order. */
function watch(client: TaskClient, callId: string): unknown[] {
  const shown: ToolCallState['progress'][] = []
  client.store.subscribe((state) => {
    const { progress } = state.calls[callId] ?? {}
    if (progress !== shown.at(-1)) shown.push(progress)
  })
  return shown
}

describe.each([
  ['createTaskClient({ url })', openByUrl],
  ['an SDK v2 client of the app', openWithSdkV2],
  ['an SDK v1 client of the app', openWithSdkV1],
] as const)('progress of 2025-11-25 with %s', (_, openPage) => {
  it('that is notified of a task is shown, and is something heard of the server', async () => {
    const server = await startServer()
    const client = await open(openPage, server.url)
    const call = client.startToolCall({ name: TOOLS.work, arguments: { outcome: 'success', steps: 5 } })
    const shown = watch(client, call.callId)
    await reached(client, call.callId, ({ progress }) => progress?.progress === 4)
    expect(call.lastHeardAt).toBeGreaterThan(0)
    await expect(call.result).resolves.toMatchObject({ structuredContent: { steps: 5 } })
    expect(shown.filter((progress) => progress !== undefined).slice(-2)).toEqual([
      { progress: 4, total: 5, message: 'part 4' },
      { progress: 5, total: 5, message: 'part 5' },
    ])
    expect(call.getState()).not.toHaveProperty('progress')
  })

  it('that is notified of a plain call is shown until it is answered', async () => {
    const server = await startServer()
    const client = await open(openPage, server.url)
    const call = client.startToolCall({ name: TOOLS.echo, arguments: { text: 'hi' } })
    const { phase, progress } = await reached(client, call.callId, (state) => state.progress !== undefined)
    expect([phase, progress]).toEqual(['calling', { progress: 1, total: 2, message: 'half' }])
    expect(call.lastHeardAt).toBeGreaterThan(0)
    await expect(call.result).resolves.toMatchObject({ content: [{ text: 'hi' }] })
    expect(call.getState()).not.toHaveProperty('progress')
  })

  it('is asked for in calls that somebody can follow, under a token of their own, and in no others', async () => {
    const server = await startServer()
    const client = await open(openPage, server.url)
    await client.callToolRaw({ name: TOOLS.echo, arguments: { text: 'raw' } })
    await client.callToolRaw({ name: TOOLS.work, arguments: { outcome: 'success', steps: 1 } })
    await client.callTool({ name: TOOLS.echo, arguments: { text: 'a' } })
    await client.callTool({ name: TOOLS.echo, arguments: { text: 'b' } })
    const calls = server.requests.filter(({ method }) => method === 'tools/call')
    const tokens = calls.map(
      ({ params }) => (params['_meta'] as Record<string, unknown> | undefined)?.['progressToken'],
    )
    expect(tokens.slice(0, 2)).toEqual([undefined, undefined])
    expect(tokens.slice(2)).toEqual([expect.anything(), expect.anything()])
    expect(new Set(tokens.slice(2)).size).toBe(2)
  })
})

it('after a reload the token of the page before is gone, and nothing is shown that was not told', async () => {
  const server = await startLegacyServer()
  closing.push(server.close)
  const storage = memoryStorage()
  const before = await openByUrl(server.url, { storage })
  const request = { name: TOOLS.work, arguments: { outcome: 'success', steps: 40 } }
  const call = before.client.startToolCall(request, { key: 'k' })
  await reached(before.client, call.callId, ({ progress }) => progress !== undefined)
  await before.close()
  const { client, close } = await openByUrl(server.url, { storage })
  closing.push(close)
  const [resumed] = await client.resumeToolCalls()
  if (resumed === undefined) throw new Error('No call was taken up.')
  const shown = watch(client, resumed.callId)
  await expect(resumed.result).resolves.toMatchObject({ structuredContent: { steps: 40 } })
  expect(shown.filter((progress) => progress !== undefined)).toEqual([])
})

it('an SDK v1 client of the app has its own onprogress beside ours', async () => {
  const server = await startServer()
  const sdk = new ClientV1({ name: 'app', version: '1' })
  await sdk.connect(new TransportV1(new URL(server.url)) as Parameters<ClientV1['connect']>[0])
  const client = createTaskClient({ client: sdk, endpoint: server.url, storage: 'memory' })
  closing.push(() => sdk.close(), client.close)
  await client.connect()
  const own: unknown[] = []
  const request = { name: TOOLS.echo, arguments: { text: 'hi' } }
  await sdk.callTool(request, undefined, { onprogress: (progress) => own.push(progress) })
  expect(own).toEqual([{ progress: 1, total: 2, message: 'half' }])
})

it('a server of SDK v2 that speaks 2025-11-25 is followed, too', async () => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'v2', version: '1' })
    server.registerTool('plain', {}, async (ctx) => {
      const { progressToken } = ctx.mcpReq._meta ?? {}
      if (progressToken !== undefined) {
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 3 } })
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return { content: [{ type: 'text', text: 'done' }] }
    })
    return server
  })
  const server = await startHttpServer(handler)
  const client = createTaskClient({ url: server.url, era: 'legacy', storage: 'memory' })
  closing.push(server.close, client.close)
  const call = client.startToolCall({ name: 'plain' })
  const { progress } = await reached(client, call.callId, (state) => state.progress !== undefined)
  expect(progress).toEqual({ progress: 3 })
  await expect(call.result).resolves.toMatchObject({ content: [{ text: 'done' }] })
  expect(client.store.getState().connection).toMatchObject({ era: 'legacy' })
})
