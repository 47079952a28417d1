import { readFileSync } from 'node:fs'
import type { Environment, TaskClient, TaskClientObservation, TaskClientUrlOptions, TaskStorage } from 'taskwire'
import { createTestServer, type SimulatedPage, scriptTask, type TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStorage } from '../src/core/storage/memoryStorage.js'
import { createTaskClient } from './support/anyClient.js'
import { created, createScriptedServer, snapshot } from './support/scriptedServer.js'
import { createWorkServer } from './support/workServer.js'

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
})

interface Tab {
  page: SimulatedPage
  client: TaskClient
  told: TaskClientObservation[]
}

function openTab(options: Partial<TaskClientUrlOptions> = {}): Tab {
  const page = server.browser.openPage()
  const client = createTaskClient({ url: server.url, environment: page.environment, push: false, ...options })
  const told: TaskClientObservation[] = []
  client.observe((observation) => told.push(observation))
  return { page, client, told }
}

/** What makes observations is loaded, which takes more than simulated time. */
const loaded = () => vi.dynamicImportSettled()

const types = (told: readonly TaskClientObservation[]) => told.map(({ type }) => type)
const polls = (told: readonly TaskClientObservation[]) =>
  told.flatMap((each) => (each.type === 'poll-sent' ? [each.reason] : []))

describe('observe()', () => {
  it('tells the whole life of a call, in order, what came before it was loaded included', async () => {
    const { client, told } = openTab()
    const call = client.startToolCall({ name: 'work', arguments: { seconds: 1 } })
    await server.advance(500)
    await loaded()
    await server.advance(5000)
    expect(types(told)).toEqual([
      'call-started',
      'call-sent',
      'task-created',
      'record-written',
      'leader-gained',
      'poll-sent',
      'poll-answered',
      'record-removed',
      'call-settled',
    ])
    expect(told.at(-1)).toMatchObject({ type: 'call-settled', callId: call.callId, tool: 'work', phase: 'completed' })
  })

  it('tells once that a call is sent, where the network goes while its record is written', async () => {
    const items = memoryStorage()
    const { setTimeout } = server.browser.openPage().environment
    const setItem: TaskStorage['setItem'] = (key, value) =>
      new Promise((resolve) => setTimeout(() => resolve(items.setItem(key, value)), 1000))
    const { page, client, told } = openTab({ storage: { ...items, setItem } })
    const call = client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
    await server.advance(500)
    await page.setOnline(false)
    await server.advance(5000)
    expect(call.getState()).toMatchObject({ phase: 'calling', network: 'offline' })
    await page.setOnline(true)
    await loaded()
    await server.advance(10_000)
    expect(call.getState().phase).toBe('completed')
    expect(types(told).filter((type) => type === 'call-sent')).toHaveLength(1)
  })

  it('names no task by its id', async () => {
    const { client, told } = openTab()
    const call = client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } })
    await loaded()
    await server.advance(5000)
    const taskId = call.getState().task?.taskId ?? ''
    expect(taskId).not.toBe('')
    expect(JSON.stringify(told)).not.toContain(taskId)
    expect(told.at(-1)).toHaveProperty('task', expect.stringMatching(/^[0-9a-f]{7}$/))
  })

  it('names no task by the key of an input request that has its id in it', async () => {
    const { fetch, on } = createScriptedServer({ now: server.browser.now })
    const requestedSchema = { type: 'object', properties: {} }
    const sure = { method: 'elicitation/create', params: { mode: 'form', message: 'Sure?', requestedSchema } }
    const inputRequests = { 'task-secret-1:sure': sure, size: sure }
    on('tools/call', created())
    on('tasks/get', snapshot({ status: 'input_required', inputRequests }), snapshot())
    const { told, client } = openTab({ transportOptions: { fetch } })
    client.startToolCall({ name: 'work' })
    await loaded()
    await server.advance(5000)
    const keys = told.flatMap((each) => ('inputKey' in each ? [each.inputKey] : []))
    expect(keys).toEqual(['[task]:sure', 'size', '[task]:sure', 'size'])
    expect(JSON.stringify(told)).not.toContain('task-secret-1')
  })

  it('says what each answer brought, and when the next poll comes and why', async () => {
    server = createTestServer({ tools: [scriptTask([{ status: 'working' }], { name: 'work', pollIntervalMs: 2000 })] })
    const { client, told } = openTab()
    client.startToolCall({ name: 'work' })
    await loaded()
    await server.advance(2500)
    const answer = told.find(({ type }) => type === 'poll-answered')
    expect(answer).toMatchObject({ status: 'working', isUnchanged: true, ms: 0, nextReason: 'interval' })
    expect(answer).toHaveProperty('nextPollAt', (answer?.at ?? 0) + 2000)
  })

  it('tells of input requests and of a cancellation, from asking to acknowledgement', async () => {
    const { client, told } = openTab()
    const call = client.startToolCall({ name: 'ask', arguments: { questions: ['a', 'b'] } })
    await loaded()
    await server.advance(2000)
    const [first = ''] = Object.keys(call.getState().inputRequests)
    void call.respond(first, { action: 'accept', content: { ok: true } })
    await server.advance(500)
    void call.cancel()
    await server.advance(5000)
    const inputs = told.filter(({ type }) => type.startsWith('input-') || type === 'cancel')
    expect(inputs.map((each) => [each.type, 'status' in each ? each.status : undefined])).toEqual([
      ['input-asked', undefined],
      ['input-asked', undefined],
      ['input-sent', undefined],
      ['input-acknowledged', undefined],
      ['cancel', 'sending'],
      ['cancel', 'requested'],
    ])
    expect(told.at(-1)).toMatchObject({ type: 'call-settled', phase: 'cancelled' })
  })

  it('says that a response was acknowledged, also where a push shows its effect before the acknowledgement', async () => {
    server = createWorkServer({ push: true })
    const { client, told } = openTab({ push: true })
    const call = client.startToolCall({ name: 'ask', arguments: { questions: ['a'] } })
    await loaded()
    await server.advance(2000)
    server.faults.delay(500, { method: 'tasks/update', times: 1 })
    void call.respond(Object.keys(call.getState().inputRequests)[0] ?? '', { action: 'accept', content: { ok: true } })
    await server.advance(5000)
    expect(types(told).filter((type) => type.startsWith('input-'))).toEqual([
      'input-asked',
      'input-sent',
      'input-acknowledged',
    ])
  })

  it('says of a completed call that the tool calls its result an error', async () => {
    const { client, told } = openTab()
    client.startToolCall({ name: 'work', arguments: { seconds: 1, outcome: 'tool error' } })
    await loaded()
    await server.advance(5000)
    expect(told.at(-1)).toMatchObject({ type: 'call-settled', phase: 'completed', isError: true })
  })

  it('tells of the page', async () => {
    const { page, told } = openTab()
    await loaded()
    await page.setVisible(false)
    await page.setVisible(true)
    await page.setOnline(false)
    await page.setOnline(true)
    await page.hidePage()
    await page.showPage()
    expect(told.map((each) => each.type === 'page' && each.state)).toEqual([
      'hidden',
      'visible',
      'offline',
      'online',
      'frozen',
      'restored',
    ])
  })

  it('ends with the subscription, and with the client', async () => {
    const { page, client, told } = openTab()
    const own = vi.fn()
    const stop = client.observe(own)
    await loaded()
    stop()
    client.startToolCall({ name: 'work', arguments: { seconds: 60 } })
    await server.advance(2000)
    expect(own).not.toHaveBeenCalled()
    expect(told).not.toEqual([])
    await client.close()
    const before = told.length
    await page.setOnline(false)
    expect(told).toHaveLength(before)
  })

  it('is not stopped by a listener that throws', async () => {
    const { environment } = server.browser.openPage()
    const thrown: unknown[] = []
    const setTimeout: Environment['setTimeout'] = (callback, delayMs) =>
      environment.setTimeout(() => {
        try {
          callback()
        } catch (error) {
          thrown.push(error)
        }
      }, delayMs)
    const { client, told } = openTab({ environment: { ...environment, setTimeout } })
    client.observe(() => {
      throw new Error('mine')
    })
    await loaded()
    client.startToolCall({ name: 'work', arguments: { seconds: 1 } })
    await server.advance(5000)
    expect(types(told)).toContain('call-settled')
    expect(thrown[0]).toMatchObject({ message: 'mine' })
  })
})

it('each type of observation and each reason is documented', () => {
  const declared = readFileSync('src/core/client/observe/events.ts', 'utf8')
  const documented = readFileSync('docs/observing.md', 'utf8')
  const types = [...declared.matchAll(/readonly type: ([^\n;}]*)/g)].flatMap(
    ([, union = '']) => union.match(/[\w-]+(?=')/g) ?? [],
  )
  const decisions = readFileSync('src/core/record/decide.ts', 'utf8')
  const [, reasons = ''] = /export type PollReason =([\s\S]*?)\n\n/.exec(decisions) ?? []
  const names = [...types, ...(reasons.match(/[\w-]+(?=')/g) ?? [])]
  expect(names).toHaveLength(28 + 8)
  expect(names.filter((name) => !documented.includes(`\n| \`${name}\` `))).toEqual([])
})

describe('the reason of a poll', () => {
  const WORK = { name: 'work', arguments: { seconds: 600, quiet: true } }

  it('is the interval, the backoff after a failure, and what Retry-After asks for', async () => {
    const { client, told } = openTab()
    client.startToolCall(WORK)
    await loaded()
    await server.advance(1500)
    server.faults.status(503, { method: 'tasks/get', times: 1 })
    await server.advance(5000)
    server.faults.status(503, { method: 'tasks/get', times: 1, retryAfter: 20 })
    await server.advance(30_000)
    const reasons = polls(told)
    expect(reasons.slice(0, 2)).toEqual(['interval', 'interval'])
    expect(reasons.filter((reason) => reason === 'backoff')).toHaveLength(1)
    expect(reasons.filter((reason) => reason === 'retry-after')).toHaveLength(1)
    expect(told.filter(({ type }) => type === 'poll-failed')).toMatchObject([{ kind: 'http' }, { kind: 'http' }])
  })

  it('is that the browser is back online', async () => {
    const { page, client, told } = openTab()
    client.startToolCall(WORK)
    await loaded()
    await server.advance(1500)
    await page.setOnline(false)
    await server.advance(10_000)
    await page.setOnline(true)
    await server.advance(1000)
    expect(polls(told).at(-1)).toBe('back-online')
  })

  it('is the safety interval while the server pushes', async () => {
    server = createWorkServer({ push: true })
    const { client, told } = openTab({ push: true })
    client.startToolCall({ name: 'work', arguments: { seconds: 3 } })
    client.startToolCall({ name: 'look', arguments: { seconds: 600 } })
    await loaded()
    await server.advance(100_000)
    expect(types(told)).toContain('push-opened')
    expect(polls(told).at(-1)).toBe('safety-interval')
  })

  it('is that this tab takes over, after another one has gone', async () => {
    const first = openTab()
    first.client.startToolCall(WORK, { key: 'k' })
    await loaded()
    await server.advance(1500)
    const second = openTab()
    void second.client.resumeToolCalls()
    await loaded()
    await server.advance(3000)
    expect(polls(second.told)).toEqual([])
    await Promise.all([first.client.close(), server.advance(1)])
    await server.advance(5000)
    expect(polls(second.told)[0]).toBe('takeover')
    expect(types(second.told)).toContain('leader-gained')
  })
})
