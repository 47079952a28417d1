import type { TaskClient, TaskClientObservation } from 'taskwire'
import {
  type ClientParts,
  createClient,
  forms,
  inputs,
  observing,
  push,
  TaskConfigurationError,
  TaskInputError,
  TaskInputRequiredError,
  tabs,
} from 'taskwire/core'
import type { TaskClientLiteOptions } from 'taskwire/lite'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { measurePage } from '../scripts/bundles.mjs'
import { ack, created, createScriptedServer, snapshot } from './support/scriptedServer.js'
import { createWorkServer } from './support/workServer.js'

let server: TestServer

beforeEach(() => {
  server = createWorkServer({ push: true })
})

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
}

function openTab(parts?: ClientParts, options: Partial<TaskClientLiteOptions> = {}): Tab {
  const page = server.browser.openPage()
  return { page, client: createClient({ url: server.url, environment: page.environment, ...options }, parts) }
}

const start = ({ client }: Tab) => client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'k' })
const ask = ({ client }: Tab) => client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } })
const YES = { action: 'accept', content: { ok: true } }

describe('a client without parts', () => {
  it('polls a task until it ends, opens no stream, and talks to no other tab', async () => {
    const tab = openTab()
    const { result } = start(tab)
    await server.advance(1500)
    expect([tab.page.channels(), tab.page.locks()]).toEqual([0, 0])
    await server.advance(5000)
    await expect(result).resolves.toMatchObject({ structuredContent: { seconds: 3 } })
    expect(server.times('tasks/get')).toEqual([1000, 2000, 3000])
    expect(server.count('subscriptions/listen')).toBe(0)
  })

  it('takes a call up that an earlier page has made', async () => {
    const earlier = openTab()
    start(earlier)
    await server.advance(1500)
    await earlier.page.crash()
    const { result } = start(openTab())
    await server.advance(5000)
    await expect(result).resolves.toMatchObject({ structuredContent: { seconds: 3 } })
    expect(server.count('tools/call')).toBe(1)
  })

  it('declares no elicitation, so the server refuses to ask', async () => {
    const ended = expect(ask(openTab()).result).rejects.toThrow('Missing required client capability')
    await server.advance(5000)
    await ended
  })

  it('ends a call with an error where the server asks all the same', async () => {
    const asking = createScriptedServer({ now: server.browser.now })
    asking.on('tools/call', created())
    const request = {
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Pay', url: 'https://pay.example' },
    }
    asking.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { a: request } }))
    asking.on('tasks/cancel', ack)
    const { client } = openTab({}, { url: 'http://localhost/mcp', fetch: asking.fetch })
    const ended = expect(client.callTool({ name: 'pay' })).rejects.toBeInstanceOf(TaskInputRequiredError)
    await server.advance(5000)
    await ended
  })

  it('refuses a response to what the app has declared itself, and names the part', async () => {
    const tab = openTab({}, { capabilities: { elicitation: { form: {} } } })
    const call = ask(tab)
    await server.advance(2000)
    const [inputKey = ''] = Object.keys(call.getState().inputRequests)
    await expect(call.respond(inputKey, YES)).rejects.toThrow('needs the part inputs')
  })

  it('refuses observe(), and names the part', () => {
    const { client } = openTab()
    expect(() => client.observe(() => {})).toThrow(TaskConfigurationError)
    expect(() => client.observe(() => {})).toThrow(
      "client.observe() needs the part observing, which this client was made without. Pass it: createClient(options, { observing }), with observing from 'taskwire/core'.",
    )
  })

  it.each([
    ['The option input', { input: { missing: 'wait' } }, 'inputs'],
    ['push: true', { push: true }, 'push'],
    ['crossTab: true', { crossTab: true }, 'tabs'],
  ] as const)('refuses an option of a part. %s', (name, options, part) => {
    expect(() => openTab({}, options)).toThrow(TaskConfigurationError)
    expect(() => openTab({}, options)).toThrow(`${name} needs the part ${part}`)
  })

  it('takes the option that turns a part off', () => {
    expect(() => openTab({}, { push: false, crossTab: false })).not.toThrow()
  })

  it('names itself in the error about a missing server', () => {
    expect(() => createClient({ url: '' })).toThrow('createClient needs a server')
  })
})

describe('a part', () => {
  it('tabs: two pages make one call, and one of them polls', async () => {
    const calls = [openTab({ tabs }), openTab({ tabs })].map(start)
    await server.advance(5000)
    await expect(Promise.all(calls.map(({ result }) => result))).resolves.toHaveLength(2)
    expect(server.count('tools/call')).toBe(1)
    expect(server.times('tasks/get')).toEqual([1000, 2000, 3000])
  })

  it('inputs: declares elicitation, and responds', async () => {
    const call = ask(openTab({ inputs }))
    await server.advance(2000)
    const [inputKey = ''] = Object.keys(call.getState().inputRequests)
    await call.respond(inputKey, YES)
    await server.advance(5000)
    await expect(call.result).resolves.toMatchObject({ content: [{ type: 'text' }] })
  })

  it('forms: refuses a form that is filled in wrongly, which the server would have to do otherwise', async () => {
    const wrong = { action: 'accept', content: { ok: 'perhaps' } }
    const sent = async (parts: ClientParts) => {
      const call = ask(openTab(parts))
      await server.advance(2000)
      const [inputKey = ''] = Object.keys(call.getState().inputRequests)
      const response = call.respond(inputKey, wrong).catch((error: unknown) => error)
      await server.advance(1000)
      return [await response, server.count('tasks/update')]
    }
    const [error, updates] = await sent({ inputs, forms })
    expect(error).toBeInstanceOf(TaskInputError)
    expect(error).toMatchObject({ issues: [{ path: 'ok', message: 'Choose yes or no.' }] })
    expect(updates).toBe(0)
    expect((await sent({ inputs }))[1]).toBe(1)
  })

  it('forms is refused without inputs', () => {
    expect(() => openTab({ forms })).toThrow('The part forms needs the part inputs')
  })

  it('push: a stream brings the end of the task', async () => {
    const { result } = start(openTab({ push }))
    await server.advance(5000)
    await expect(result).resolves.toBeDefined()
    expect(server.count('subscriptions/listen')).toBe(1)
    expect(server.count('tasks/get')).toBe(0)
  })

  it('observing: observe() says why a poll came', async () => {
    const tab = openTab({ observing })
    const told: TaskClientObservation[] = []
    tab.client.observe((observation) => told.push(observation))
    start(tab)
    await server.advance(500)
    await vi.dynamicImportSettled()
    await server.advance(5000)
    expect(told.map(({ type }) => type)).toContain('poll-answered')
  })

  it.each([
    ['of another name', { tabs: push }],
    ['that does not exist', { streams: push }],
    ['that is a flag', { tabs: true }],
  ])('%s is refused', (_, parts) => {
    expect(() => openTab(parts as ClientParts)).toThrow('tabs, inputs, forms, push and observing of taskwire/core')
  })
})

it('parts that are no object are refused', () => {
  expect(() => openTab([tabs] as unknown as ClientParts)).toThrow(TaskConfigurationError)
  expect(() => openTab(true as unknown as ClientParts)).toThrow('The second argument of createClient is true')
})

it('a page without parts ships none of them', async () => {
  const { files } = await measurePage('taskwire/core')
  const ofParts = /answers|formProblems|createTabs|election|tabs[\\/]messages|news|run[\\/]push|observ/i
  const own = [...files].filter((file) => !file.includes('node_modules'))
  // `push.ts` has the stream that never brings anything, too.
  expect(own.filter((file) => ofParts.test(file)).map((file) => file.replace(/.*[\\/]/, ''))).toEqual(['push.ts'])
})
