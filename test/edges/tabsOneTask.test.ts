import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type TaskClient, type TaskClientUrlOptions, type TaskStorage, withTasks } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  http,
  pushStream,
  type Reply,
  rpcError,
  type ScriptedServer,
  snapshot,
} from '../support/scriptedServer.js'

const TASK_ID = 'task-secret-1'
const TEN = { pollIntervalMs: 10_000 }

let browser: SimulatedBrowser
let server: ScriptedServer
let start: number

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
}

beforeEach(() => {
  browser = createSimulatedBrowser()
  start = browser.now()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created(TEN))
  server.on('tasks/get', snapshot(TEN))
})

function openTab(options: Partial<TaskClientUrlOptions> = {}): Tab {
  const page = browser.openPage()
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    ...options,
  })
  return { page, client }
}

/** A storage that takes half a second for everything. */
function slowStorage({ environment }: SimulatedPage): TaskStorage {
  const items = new Map<string, string>()
  const slow = <T>(action: () => T) => new Promise<T>((resolve) => environment.setTimeout(() => resolve(action()), 500))
  return {
    getItem: (key) => slow(() => items.get(key)),
    setItem: (key, value) => slow(() => void items.set(key, value)),
    removeItem: (key) => slow(() => void items.delete(key)),
    keys: () => slow(() => items.keys()),
  }
}

const polls = () => server.times('tasks/get', start)
const everyTen = (count: number) => Array.from({ length: count }, (_, index) => 10_000 * (index + 1))
const question = { method: 'elicitation/create', params: { message: 'Name?', requestedSchema: { type: 'object' } } }
const asks: Reply = snapshot({ ...TEN, status: 'input_required', inputRequests: { name: question } })

describe('one task that several calls refer to', () => {
  describe.each(['eager', 'lazy'] as const)('with resume: %s', (resume) => {
    it('[EDGE-03] is polled by one loop where one tab runs the call and another resumes its task', async () => {
      const [a, b] = [openTab({ resume }), openTab({ resume })]
      const call = a.client.startToolCall({ name: 'report' }, { key: 'k' })
      await browser.advance(4100)
      const resumed = b.client.resumeTask(TASK_ID)
      await browser.advance(115_900)
      expect(polls()).toEqual(everyTen(12))
      server.on('tasks/get', completed(TEN))
      await browser.advance(10_000)
      await expect(Promise.all([call.result, resumed.result])).resolves.toHaveLength(2)
      expect(polls()).toEqual(everyTen(13))
    })

    it('[EDGE-03] goes on at its interval where the tab that polled it is gone', async () => {
      const [a, b] = [openTab({ resume }), openTab({ resume })]
      a.client.startToolCall({ name: 'report' }, { key: 'k' })
      await browser.advance(4100)
      const resumed = b.client.resumeTask(TASK_ID)
      await browser.advance(10_000)
      await a.page.crash()
      server.on('tasks/get', completed(TEN))
      await browser.advance(10_000)
      await expect(resumed.result).resolves.toBeDefined()
      expect(polls()).toEqual([10_000, 20_000])
    })

    it('[EDGE-03] is polled by one loop where the server answers two calls with one id', async () => {
      const { client } = openTab({ resume })
      const first = client.startToolCall({ name: 'report' })
      await browser.advance(4100)
      const second = client.startToolCall({ name: 'report' })
      await browser.advance(115_900)
      expect(polls()).toEqual(everyTen(12))
      server.on('tasks/get', completed(TEN))
      await browser.advance(10_000)
      await expect(Promise.all([first.result, second.result])).resolves.toHaveLength(2)
      expect(polls()).toEqual(everyTen(13))
    })

    it('[EDGE-03] is polled by one loop where two tabs get one id for a call each', async () => {
      const calls = [openTab({ resume }), openTab({ resume })].map(({ client }) =>
        client.startToolCall({ name: 'report' }),
      )
      await browser.advance(120_000)
      expect(polls()).toEqual(everyTen(12))
      server.on('tasks/get', completed(TEN))
      await browser.advance(10_000)
      await expect(Promise.all(calls.map(({ result }) => result))).resolves.toHaveLength(2)
    })
  })

  it('[EDGE-03] is polled by one loop in a tab that works alone', async () => {
    const { client } = openTab({ crossTab: false })
    const first = client.startToolCall({ name: 'report' })
    await browser.advance(4100)
    const second = client.startToolCall({ name: 'report' })
    await browser.advance(5900)
    // What the one call learns, the other one shows.
    server.on('tasks/get', snapshot({ ...TEN, statusMessage: 'half way', lastUpdatedAt: '2026-07-28T00:00:05Z' }))
    await browser.advance(10_000)
    for (const call of [first, second]) expect(call.getState().task?.statusMessage).toBe('half way')
    await browser.advance(100_000)
    expect(polls()).toEqual(everyTen(12))
  })

  it('[EDGE-03] is followed on at its interval when the call that polled it is forgotten', async () => {
    const { client } = openTab()
    const first = client.startToolCall({ name: 'report' })
    const second = client.startToolCall({ name: 'report' })
    await browser.advance(14_000)
    await Promise.all([client.forget({ callId: first.callId }), browser.settle()])
    await browser.advance(16_000)
    expect(polls()).toEqual(everyTen(3))
    server.on('tasks/get', completed(TEN))
    await browser.advance(10_000)
    await expect(second.result).resolves.toBeDefined()
  })

  it('[EDGE-03] is followed on in all calls when one of them is forgotten in one tab', async () => {
    const [a, b] = [openTab(), openTab()]
    const call = a.client.startToolCall({ name: 'report' }, { key: 'k' })
    await browser.advance(4100)
    const resumed = b.client.resumeTask(TASK_ID)
    await browser.advance(10_000)
    await Promise.all([b.client.forget({ callId: resumed.callId }), browser.settle()])
    server.on('tasks/get', completed(TEN))
    await browser.advance(10_000)
    await expect(call.result).resolves.toBeDefined()
    expect(polls()).toEqual([10_000, 20_000])
  })

  it('[EDGE-03] is found after a reload by each of the calls', async () => {
    const { client, page } = openTab()
    for (const key of ['one', 'other']) client.startToolCall({ name: 'report' }, { key })
    await browser.advance(14_000)
    await page.close()
    const next = openTab().client
    const resumed = await next.resumeToolCalls()
    expect(resumed.map((call) => call.getState().key)).toEqual(['one', 'other'])
    expect(Object.values(next.store.getState().calls)).toHaveLength(2)
    await browser.advance(16_000)
    expect(polls()).toEqual(everyTen(3))
  })

  it('[EDGE-03] settles each of the calls once where another one of them comes while a slow storage writes its end', async () => {
    const page = browser.openPage()
    const { client } = openTab({ storage: slowStorage(page), environment: page.environment })
    const settled: (string | undefined)[] = []
    client.onToolCallSettled(({ key }) => settled.push(key))
    server.on('tools/call', created())
    server.on('tasks/get', completed())
    client.startToolCall({ name: 'report' }, { key: 'one' })
    await browser.advance(1700)
    client.startToolCall({ name: 'report' }, { key: 'other' })
    await browser.advance(10_000)
    expect(settled).toEqual(['one', 'other'])
  })

  it('[EDGE-03] hands each of its input requests once to the handlers of all calls and tabs', async () => {
    server.on('tasks/get', asks)
    server.on('tasks/update', ack)
    const asked: string[] = []
    const handlers = {
      elicitation: (_: unknown, { inputKey }: { inputKey: string }) => {
        asked.push(inputKey)
        return Promise.resolve({ action: 'accept' as const, content: { name: 'Ann' } })
      },
    }
    const [a, b] = [openTab({ input: { handlers } }), openTab({ input: { handlers } })]
    a.client.startToolCall({ name: 'report' }, { key: 'k' })
    a.client.startToolCall({ name: 'report' })
    await browser.advance(4100)
    b.client.resumeTask(TASK_ID)
    await browser.advance(60_000)
    expect(asked).toEqual(['name'])
    expect(server.received('tasks/update')).toHaveLength(1)
  })

  it('[EDGE-03] shows an input request as answered in every call when one of them has answered it', async () => {
    server.on('tasks/get', asks)
    server.on('tasks/update', ack)
    const [a, b] = [openTab(), openTab()]
    const calls = [
      a.client.startToolCall({ name: 'report' }, { key: 'k' }),
      a.client.startToolCall({ name: 'report' }),
      b.client.resumeTask(TASK_ID),
    ]
    await browser.advance(11_000)
    for (const call of calls) expect(Object.keys(call.getState().inputRequests)).toEqual(['name'])
    await Promise.all([calls[2]?.respond('name', { action: 'decline' }), browser.advance(1000)])
    for (const call of calls) expect(call.getState().inputRequests).toEqual({})
    await browser.advance(30_000)
    expect(server.received('tasks/update')).toHaveLength(1)
  })

  it('[EDGE-03] gets the response of a call that is forgotten while it sends that, where another one follows it', async () => {
    server.on('tasks/get', asks)
    server.on('tasks/update', http(503))
    const { client } = openTab()
    const [first, second] = [client.startToolCall({ name: 'report' }), client.startToolCall({ name: 'report' })]
    await browser.advance(11_000)
    const responding = first.respond('name', { action: 'decline' })
    await browser.advance(1000)
    await Promise.all([client.forget({ callId: first.callId }), browser.advance(1000)])
    expect(second.getState().inputResponses).toMatchObject({ name: { status: 'sending', isRetrying: true } })
    server.on('tasks/update', ack)
    await Promise.all([responding, browser.advance(60_000)])
    expect(second.getState().inputRequests).toEqual({})
  })

  it('[EDGE-03] shows in the other call that the server refuses the response of a call that is forgotten', async () => {
    server.on('tasks/get', asks)
    server.on('tasks/update', http(503))
    const { client } = openTab()
    const [first, second] = [client.startToolCall({ name: 'report' }), client.startToolCall({ name: 'report' })]
    await browser.advance(11_000)
    const refused = expect(first.respond('name', { action: 'decline' })).rejects.toMatchObject({ code: -32602 })
    await browser.advance(1000)
    await Promise.all([client.forget({ callId: first.callId }), browser.advance(1000)])
    server.on('tasks/update', rpcError(-32602, 'No.'))
    await Promise.all([refused, browser.advance(60_000)])
    expect(second.getState().inputResponses).toMatchObject({ name: { status: 'rejected' } })
  })

  it('[EDGE-03] is cancelled for the other call, too, where the one is forgotten by which that was asked for first', async () => {
    server.on('tasks/cancel', http(503))
    const { client } = openTab()
    const [first, second] = [client.startToolCall({ name: 'report' }), client.startToolCall({ name: 'report' })]
    await browser.advance(11_000)
    first.cancel().catch(() => {})
    await browser.advance(100)
    const cancelling = second.cancel()
    await browser.advance(1000)
    await Promise.all([client.forget({ callId: first.callId }), browser.advance(1000)])
    expect(second.getState()).toMatchObject({ isCancelling: true, cancelStatus: 'retrying' })
    server.on('tasks/cancel', ack)
    await Promise.all([cancelling, browser.advance(60_000)])
    expect(second.getState()).toMatchObject({ isCancelling: true, cancelStatus: 'requested' })
  })

  it('[EDGE-03] is cancelled once, where the server has taken that and does not stop it', async () => {
    server.on('tasks/cancel', ack, rpcError(-32602, 'It is being cancelled already'))
    const [leading, other] = [openTab(), openTab()]
    const call = ({ client }: Tab) => {
      const started = client.startToolCall({ name: 'report' }, { key: 'k' })
      started.result.catch(() => {})
      return started
    }
    const shown = call(leading)
    await browser.advance(1000)
    await Promise.all([call(other).cancel(), browser.advance(100_000)])
    expect(shown.getState()).toMatchObject({ phase: 'working', cancelStatus: 'requested' })
    expect(server.received('tasks/cancel')).toHaveLength(1)
  })

  it('[EDGE-03] is left to the page that can answer, where the one that polls it cannot', async () => {
    const [asking, other] = [openTab({ push: false }), openTab({ push: false, input: { missing: 'error' } })]
    const { result, getState } = asking.client.startToolCall({ name: 'report' }, { key: 'k' })
    result.catch(() => {})
    await browser.advance(1000)
    await Promise.all([other.client.resumeToolCalls(), browser.advance(100)])
    await asking.page.setVisible(false)
    await browser.advance(500)
    server.on('tasks/get', asks)
    await browser.advance(25_000)
    expect(getState()).toMatchObject({ phase: 'input_required', inputRequests: { name: question } })
  })

  // tab A  reads the stream ─ pushed: quiet for 30 s ─ closed
  // tab B                     told                     leads: polls at the interval
  it('[EDGE-03] is polled at its interval by the tab that takes over, until something is pushed to that', async () => {
    const stream = pushStream()
    server.on('subscriptions/listen', stream, rpcError(-32601, 'Method not found', { status: 404 }))
    const [a, b] = [openTab(), openTab()]
    a.client.startToolCall({ name: 'report' }, { key: 'k' }).result.catch(() => {})
    await browser.advance(1000)
    const call = b.client.startToolCall({ name: 'report' }, { key: 'k' })
    await browser.advance(1000)
    stream.push({ ...TEN, statusMessage: 'half way' })
    await browser.advance(500)
    await a.page.close()
    server.on('tasks/get', completed(TEN))
    await browser.advance(12_000)
    expect(call.getState().phase).toBe('completed')
  })

  it('[EDGE-03] shows nothing of what its cancellation has failed with once that is taken', async () => {
    server.on('tasks/cancel', http(503), ack)
    const [a, b] = [openTab({ push: false }), openTab({ push: false })]
    for (const { client } of [a, b]) {
      client.startToolCall({ name: 'report' }, { key: 'k' }).result.catch(() => {})
      await browser.advance(1000)
    }
    const callId = Object.keys(b.client.store.getState().calls)[0] ?? ''
    await Promise.all([b.client.getToolCall(callId)?.cancel(), browser.advance(35_000)])
    expect(b.client.getToolCallState(callId)).toMatchObject({ cancelStatus: 'requested' })
    expect(b.client.getToolCallState(callId)?.lastError).toBeUndefined()
  })

  // With one tab that polls it, and another one that hears of it.
  it('[EDGE-03] is cancelled by the tab that polls it where it is stuck, again until that gets through', async () => {
    server.on('tasks/cancel', http(503), ack)
    server.on('tasks/get', snapshot({ ...TEN, status: 'input_required', inputRequests: {} }))
    const senders: string[] = []
    const tabs = ['a', 'b'].map((name) => {
      const fetch: typeof server.fetch = (url, init) => {
        if (String(init?.body).includes('tasks/cancel')) senders.push(name)
        return server.fetch(url, init)
      }
      return openTab({ push: false, input: { stuckAfterPolls: 3 }, transportOptions: { fetch } })
    })
    for (const { client } of tabs) client.startToolCall({ name: 'report' }, { key: 'k' }).result.catch(() => {})
    await browser.advance(120_000)
    expect(senders).toEqual(['a', 'a'])
  })

  it('[EDGE-03] is polled by one loop under withTasks alone', async () => {
    const { environment } = browser.openPage()
    const http = new StreamableHTTPClientTransport(new URL('https://tasks.example/mcp'), { fetch: server.fetch })
    const client = new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(withTasks(http, { environment }))
    const first = client.callTool({ name: 'report' }, { timeout: 600_000 })
    await browser.advance(4100)
    const second = client.callTool({ name: 'report' }, { timeout: 600_000 })
    await browser.advance(115_900)
    expect(polls()).toEqual(everyTen(12))
    server.on('tasks/get', completed(TEN))
    await browser.advance(10_000)
    await expect(Promise.all([first, second])).resolves.toHaveLength(2)
    expect(polls()).toEqual(everyTen(13))
  })

  it('[EDGE-03] is pushed to every call that refers to it', async () => {
    const stream = pushStream()
    server.on('subscriptions/listen', stream)
    const { client } = openTab()
    const calls = [client.startToolCall({ name: 'report' }), client.startToolCall({ name: 'report' })]
    await browser.advance(3000)
    stream.push({ ...TEN, statusMessage: 'half way' })
    await browser.advance(100)
    for (const call of calls) expect(call.getState().task?.statusMessage).toBe('half way')
    await Promise.all([client.forget({ callId: calls[0]?.callId ?? '' }), browser.settle()])
    stream.push({ ...TEN, status: 'completed', result: { content: [] } })
    await browser.advance(100)
    await expect(calls[1]?.result).resolves.toEqual({ content: [] })
    expect(server.received('tasks/get')).toEqual([])
  })
})
