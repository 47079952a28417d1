import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { freePort } from '../support/freePort.js'
import { type OpenPage, openByUrl, openWithSdkV1, openWithSdkV2, type Visit } from './support/eraPages.js'
import { reached } from './support/reached.js'

const entry = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')

const RESEARCH = 'simulate-research-query'
/** The tool works for four seconds. */
const TIMEOUT_MS = 30_000

let url: string
let stop: () => void
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  const port = await freePort()
  const child = spawn(process.execPath, [entry, 'streamableHttp'], {
    env: { ...process.env, PORT: `${port}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  stop = () => child.kill()
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => String(chunk).includes('listening') && resolve())
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)))
  })
  url = `http://127.0.0.1:${port}/mcp`
}, TIMEOUT_MS)

// The tests run at the same time, so nothing is closed before all of them are over.
afterAll(async () => {
  for (const close of closing) await close()
  stop()
})

const open = async (openPage: OpenPage, visit: Visit, options?: Parameters<OpenPage>[2]) => {
  const page = await openPage(url, visit, options)
  closing.push(page.close)
  return page
}

const CLIENTS: [string, OpenPage][] = [
  ['a URL', openByUrl],
  ['an SDK v2 client', openWithSdkV2],
  ['an SDK v1 client', openWithSdkV1],
]

describe.concurrent.each(CLIENTS)('the published server-everything, by %s', (_, openPage) => {
  it('runs a tool that must be a task', { timeout: TIMEOUT_MS }, async ({ expect }) => {
    const { client } = await open(openPage, { storage: memoryStorage() })
    const call = client.startToolCall({ name: RESEARCH, arguments: { topic: 'tea' } })
    const messages = new Set<string | undefined>()
    call.subscribe(({ task }) => messages.add(task?.statusMessage))
    const { content } = await call.result
    expect(JSON.stringify(content)).toContain('Research Report: tea')
    expect([...messages]).toContain('Synthesizing findings...')
    expect(client.store.getState().connection).toMatchObject({
      era: 'legacy',
      eraReason: expect.stringMatching(/initialize|v1/),
      server: { name: 'mcp-servers/everything' },
      tasks: true,
    })
  })

  it('hands its input request to the user', { timeout: TIMEOUT_MS }, async ({ expect }) => {
    const { client } = await open(openPage, { storage: memoryStorage() })
    const call = client.startToolCall({ name: RESEARCH, arguments: { topic: 'python', ambiguous: true } })
    const asks = await reached(client, call.callId, ({ inputRequests }) => Object.keys(inputRequests).length > 0)
    expect(asks.phase).toBe('input_required')
    const [[key, request] = ['', undefined]] = Object.entries(asks.inputRequests)
    expect(request).toMatchObject({ params: { message: expect.stringContaining('multiple interpretations') } })
    await call.respond(key, { action: 'accept', content: { interpretation: 'snake' } })
    expect(JSON.stringify((await call.result).content)).toContain('python (snake)')
  })
})

describe('the published server-everything', () => {
  it('keeps a task for its session, and a page that reloads finds it again', { timeout: TIMEOUT_MS }, async () => {
    const visit = { storage: memoryStorage() }
    const params = { name: RESEARCH, arguments: { topic: 'reloads' } }
    const first = await open(openByUrl, visit)
    const call = first.client.startToolCall(params, { key: 'research' })
    await reached(first.client, call.callId, ({ phase }) => phase === 'working')
    await first.close()
    const second = await open(openByUrl, visit)
    const again = second.client.startToolCall(params, { key: 'research' })
    await expect(again.result).resolves.toMatchObject({ content: [{ text: expect.stringContaining('reloads') }] })
    expect(again.getState().startedAt).toBe(call.getState().startedAt)
  })
})
