import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTaskClient, withTasks } from 'taskwire'
import { createSimulatedBrowser, createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { completed, created, createScriptedServer, result, snapshot } from '../../../test/support/scriptedServer.js'

const form = (message: unknown) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } } },
})
const YES = { action: 'accept', content: { ok: true } }

/** A server that asks about the arguments of each call before it answers, over a client that the app has made and connected. */
async function setUp(inputRequired: { autoFulfill?: boolean }, handler?: () => never) {
  const page = createSimulatedEnvironment()
  const server = createScriptedServer({ now: page.environment.now })
  server.on('tools/call', (request) => {
    const { params } = request
    const { arguments: args, inputResponses, requestState } = params as Record<string, { tag: string }>
    const asking = { resultType: 'input_required', inputRequests: { sure: form(args?.tag) }, requestState: args?.tag }
    return result(inputResponses === undefined ? asking : { content: [], structuredContent: { requestState } })(request)
  })
  const sdk = new Client(
    { name: 'app', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' }, inputRequired },
  )
  if (handler !== undefined) sdk.setRequestHandler('elicitation/create', handler)
  const http = new StreamableHTTPClientTransport(new URL('https://tasks.example/mcp'), { fetch: server.fetch })
  await sdk.connect(withTasks(http, { environment: page.environment }))
  const client = createTaskClient({ client: sdk, environment: page.environment, storage: 'memory' })
  onTestFinished(() => client.close())
  return { page, server, client }
}

describe('a server that asks before there is a task, over an SDK client of the app', () => {
  it.each([
    ['fulfils such requests by handlers, and has none', {}, undefined],
    ['fulfils such requests by its handler', {}, vi.fn<() => never>()],
    ['fulfils no such requests by itself', { autoFulfill: false }, undefined],
  ])('that %s, shows the input request with its call', async (_, inputRequired, handler) => {
    const { page, server, client } = await setUp(inputRequired, handler)
    const calls = ['a', 'b'].map((tag) => client.startToolCall({ name: 'deploy', arguments: { tag } }))
    await page.advance(1000)
    expect(calls.map((call) => call.getState())).toMatchObject([
      { phase: 'input_required', inputRequests: { sure: form('a') } },
      { phase: 'input_required', inputRequests: { sure: form('b') } },
    ])
    const [first, second] = calls
    await second?.respond('sure', YES)
    await page.advance(0)
    await expect(second?.result).resolves.toMatchObject({ structuredContent: { requestState: 'b' } })
    expect(first?.getState()).toMatchObject({ phase: 'input_required' })
    await first?.respond('sure', YES)
    await page.advance(0)
    await expect(first?.result).resolves.toMatchObject({ structuredContent: { requestState: 'a' } })
    expect(handler ?? vi.fn()).not.toHaveBeenCalled()
    const asked = server.received('tools/call').map(({ params }) => params)
    expect(asked).toMatchObject([
      { arguments: { tag: 'a' } },
      { arguments: { tag: 'b' } },
      { arguments: { tag: 'b' }, inputResponses: { sure: YES }, requestState: 'b' },
      { arguments: { tag: 'a' }, inputResponses: { sure: YES }, requestState: 'a' },
    ])
    expect(JSON.stringify(asked)).not.toContain('dev.taskwire')
  })

  it('fails where it asks what that client has not declared', async () => {
    const { page, server, client } = await setUp({})
    const visit = { method: 'elicitation/create', params: { mode: 'url', message: 'Pay', url: 'https://pay.example' } }
    server.on('tools/call', result({ resultType: 'input_required', inputRequests: { visit } }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'TaskInputRequiredError' } })
    await expect(call.result).rejects.toThrow('elicitation.url')
  })
})

it('a transport that is wrapped twice shows the task client its tasks all the same', async () => {
  const { now, advance, environment } = createSimulatedEnvironment()
  const server = createScriptedServer({ now })
  server.on('tools/call', created({ taskId: 't1' }))
  server.on('tasks/get', completed({ taskId: 't1' }))
  const sdk = new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const http = new StreamableHTTPClientTransport(new URL('https://tasks.example/mcp'), { fetch: server.fetch })
  await sdk.connect(withTasks(withTasks(http, { environment }), { environment }))
  const client = createTaskClient({ client: sdk, environment, storage: 'memory', push: false })
  onTestFinished(() => client.close())
  const call = client.startToolCall({ name: 'report' })
  await advance(5000)
  expect(call.getState()).toMatchObject({ phase: 'completed', task: { taskId: 't1' } })
})

// tools/call ─ tasks/get ─ the app closes its SDK client ··· connects it again ─ tasks/get
it('a task whose SDK client the app has closed waits until the app connects it again', async () => {
  const { now, advance, environment } = createSimulatedEnvironment()
  const server = createScriptedServer({ now })
  server.on('tools/call', created({ taskId: 't1' }))
  server.on('tasks/get', snapshot({ taskId: 't1' }))
  const sdk = new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const connect = () => {
    const http = new StreamableHTTPClientTransport(new URL('https://tasks.example/mcp'), { fetch: server.fetch })
    return sdk.connect(withTasks(http, { environment }))
  }
  await connect()
  const client = createTaskClient({ client: sdk, environment, storage: 'memory', push: false })
  onTestFinished(() => client.close())
  const call = client.startToolCall({ name: 'report' })
  await advance(5000)
  await sdk.close()
  await advance(120_000)
  expect(call.getState()).toMatchObject({
    phase: 'working',
    network: 'retrying',
    lastError: { name: 'ConnectionFailedError', message: expect.stringContaining('closed') },
  })
  const other = client.startToolCall({ name: 'report' })
  await expect(other.result).rejects.toMatchObject({ name: 'ConnectionFailedError' })

  server.on('tasks/get', completed({ taskId: 't1' }))
  await connect()
  await advance(120_000)
  expect(call.getState().phase).toBe('completed')
  expect(server.received('tools/call')).toHaveLength(1)
})

// page 1  tools/call ─ tasks/get ───────────────── tasks/get: completed ─ tells page 2
// page 2      follows ─ the app closes its client                              shows it
it('a page whose SDK client the app has closed shows the result that another page has', async () => {
  const browser = createSimulatedBrowser()
  const server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
  const open = async () => {
    const { environment } = browser.openPage()
    const http = new StreamableHTTPClientTransport(new URL('https://tasks.example/mcp'), { fetch: server.fetch })
    const sdk = new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await sdk.connect(withTasks(http, { environment }))
    return { sdk, client: createTaskClient({ client: sdk, endpoint: 'tasks', environment, push: false }) }
  }
  const pages = [await open(), await open()]
  const calls = []
  for (const { client } of pages) {
    calls.push(client.startToolCall({ name: 'report' }, { key: 'a' }))
    await browser.advance(2000)
  }
  await pages[1]?.client.listTools().catch(() => {})
  await pages[1]?.sdk.close()
  server.on('tasks/get', completed())
  await browser.advance(6000)
  expect(calls.map((call) => call.getState().phase)).toEqual(['completed', 'completed'])
  expect(server.received('tools/call')).toHaveLength(1)
})
