import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import { simulateMachineTimers } from '../../../test/support/machineTimers.js'
import { completed, created, createScriptedServer, result, snapshot } from '../../../test/support/scriptedServer.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import { RENEWAL_DEADLINE_MS } from './heldCalls.js'
import { type WithTasksOptions, withTasks } from './withTasks.js'

const RESULT = { content: [{ type: 'text', text: 'done' }] }
const question = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
}

let restore = () => {}
afterEach(() => restore())

/** The SDK's own client, whose timers are on the simulated clock. A task of it ends when the test says so. */
async function connect(options: WithTasksOptions = { resetTimeoutAfterMs: 50_000 }, maxRounds = 100) {
  const page = createSimulatedEnvironment()
  restore = simulateMachineTimers(page.environment)
  const server = createScriptedServer({ now: page.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
  server.on('tasks/update', result({}))
  const client = new Client(
    { name: 'app', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      capabilities: { elicitation: { form: {} } },
      inputRequired: { maxRounds },
    },
  )
  const transport = new StreamableHTTPClientTransport(new URL('https://tasks.example/mcp'), { fetch: server.fetch })
  const connecting = client.connect(withTasks(transport, { environment: page.environment, ...options }))
  await page.advance(1)
  await connecting
  return { page, server, client }
}

function track<T>(promise: Promise<T>) {
  const state: { value?: T; error?: unknown } = {}
  promise.then(
    (value) => Object.assign(state, { value }),
    (error: unknown) => Object.assign(state, { error }),
  )
  return state
}

describe('a call whose timeout other code has set', () => {
  it('is ended by the timeout of the SDK, where nothing else is said', async () => {
    const { page, client } = await connect({})
    const call = track(client.callTool({ name: 'report' }))
    await page.advance(60_001)
    expect(call.error).toMatchObject({ code: 'REQUEST_TIMEOUT' })
  })

  it('outlives it with resetTimeoutAfterMs, with one tools/call and one loop of polls', async () => {
    const { page, server, client } = await connect()
    const call = track(client.request({ method: 'tools/call', params: { name: 'report' } }))
    await page.advance(20 * 60_000)
    expect(call).toEqual({})
    server.on('tasks/get', completed())
    await page.advance(2000)
    expect(call.value).toMatchObject(RESULT)
    expect(server.received('tools/call')).toHaveLength(1)
    expect(server.received('tasks/get').length).toBeLessThanOrEqual(20 * 60 + 2)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('counts from when the request was sent, not from when the server has made a task of it', async () => {
    const { page, server, client } = await connect()
    let answer = () => {}
    const task = created()
    server.on('tools/call', (request) =>
      new Promise<void>((resolve) => {
        answer = resolve
      }).then(() => (typeof task === 'function' ? task(request) : task)),
    )
    const call = track(client.callTool({ name: 'report' }))
    await page.advance(49_000)
    answer()
    await page.advance(30_000)
    expect(call).toEqual({})
    server.on('tasks/get', completed())
    await page.advance(2000)
    expect(call.value).toMatchObject(RESULT)
  })

  it('gets its result also where the task ends while the SDK is coming back', async () => {
    const { page, server, client } = await connect()
    const call = track(client.callTool({ name: 'report' }))
    await page.advance(49_900)
    server.on('tasks/get', completed())
    await page.advance(150)
    expect(call).toEqual({})
    await page.advance(1000)
    expect(call.value).toMatchObject(RESULT)
    expect(page.pendingTimers()).toBe(0)
  })

  it('has its handlers asked in between, also while the SDK is coming back', async () => {
    const { page, server, client } = await connect()
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ann' } }))
    const call = track(client.callTool({ name: 'report' }))
    await page.advance(49_900)
    server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { q1: question } }))
    await page.advance(5000)
    expect(server.received('tasks/update')).toHaveLength(1)
    server.on('tasks/get', snapshot())
    await page.advance(10 * 60_000)
    server.on('tasks/get', completed())
    await page.advance(2000)
    expect(call.value).toMatchObject(RESULT)
    expect(page.pendingTimers()).toBe(0)
  })

  it('can be aborted while the SDK is coming back, and nothing is left', async () => {
    const { page, server, client } = await connect()
    const abort = new AbortController()
    const call = track(client.callTool({ name: 'report' }, { signal: abort.signal }))
    await page.advance(50_100)
    abort.abort()
    await page.advance(1000)
    expect(call.error).toBeInstanceOf(Error)
    await page.advance(RENEWAL_DEADLINE_MS)
    const polls = server.received('tasks/get').length
    await page.advance(60_000)
    expect(server.received('tasks/get')).toHaveLength(polls)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('ends after as many rounds as the client allows, and the polling a while later', async () => {
    const { page, server, client } = await connect({ resetTimeoutAfterMs: 50_000 }, 2)
    const call = track(client.callTool({ name: 'report' }))
    await page.advance(160_000)
    expect(call.error).toMatchObject({ code: 'INPUT_REQUIRED_ROUNDS_EXCEEDED' })
    await page.advance(RENEWAL_DEADLINE_MS)
    const polls = server.received('tasks/get').length
    await page.advance(60_000)
    expect(server.received('tasks/get')).toHaveLength(polls)
    expect(page.pendingTimers()).toBe(0)
  })

  it('goes on with its progress after each round, of which the SDK tells by itself', async () => {
    const { page, server, client } = await connect()
    const seen: unknown[] = []
    server.on('tasks/get', snapshot({ statusMessage: 'Half way' }))
    const call = track(client.callTool({ name: 'report' }, { onprogress: (progress) => seen.push(progress) }))
    await page.advance(70_000)
    server.on('tasks/get', completed())
    await page.advance(2000)
    expect(call.value).toMatchObject(RESULT)
    expect(seen).toContainEqual({ progress: 1, message: expect.stringContaining('round 1') })
    expect(seen).toContainEqual({ progress: 60, message: 'Half way' })
  })

  it('closes with the connection', async () => {
    const { page, server, client } = await connect()
    const call = track(client.callTool({ name: 'report' }))
    await page.advance(50_100)
    await client.close()
    await page.advance(1000)
    expect(call.error).toBeInstanceOf(Error)
    const polls = server.received('tasks/get').length
    await page.advance(60_000)
    expect(server.received('tasks/get')).toHaveLength(polls)
    expect(page.pendingTimers()).toBe(0)
  })

  it.each([0, -1, Number.NaN, '5'])('takes no time of %j', (resetTimeoutAfterMs) => {
    const transport = new StreamableHTTPClientTransport(new URL('https://tasks.example/mcp'))
    const wrap = () => withTasks(transport, { resetTimeoutAfterMs } as WithTasksOptions)
    expect(wrap).toThrow(TaskConfigurationError)
    expect(wrap).toThrow(`resetTimeoutAfterMs is ${resetTimeoutAfterMs}; it must be a number above 0.`)
  })
})
