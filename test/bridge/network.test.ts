import { TaskExpiredError, ToolCallKeyConflictError } from 'taskwire'
import { describe, expect, it } from 'vitest'
import { serverSentEvents } from '../../src/bridge/page/serverSentEvents.js'
import { BRIDGE_URL, createBridgedBackend, USER_HEADER } from '../support/bridgedBackend.js'
import { collectGarbage } from '../support/untilCollected.js'
import { createWorkServer } from '../support/workServer.js'

const WORK = { name: 'work', arguments: { seconds: 5 } }

function setUp(...more: [Parameters<typeof createBridgedBackend>[1]?, Parameters<typeof createBridgedBackend>[2]?]) {
  const server = createWorkServer({ browser: { turns: 60 } })
  return { server, backend: createBridgedBackend(server, ...more) }
}

it('a start that has no answer yet is known however much else is asked for meanwhile, and made once', async () => {
  const { server, backend } = setUp()
  const headers = { 'content-type': 'application/json', [USER_HEADER]: 'ada' }
  const ask = (id: string, action: object) =>
    backend.bridge.fetch(
      new Request(BRIDGE_URL, { method: 'POST', headers, body: JSON.stringify({ v: 1, id, action }) }),
    )
  const isBack = server.faults.drop()
  const start = { type: 'start', name: 'work', key: 'k', arguments: { seconds: 5 }, repeat: 'always' }
  const first = ask('start', start)
  await server.advance(1000)
  for (let count = 0; count < 1100; count++) {
    const { status } = await ask(`forget ${count}`, { type: 'forget', call: { name: 'work', key: 'other' } })
    expect(status).toBe(200)
  }
  const again = ask('start', start)
  await server.advance(1000)
  isBack()
  await server.advance(30_000)
  const answers = await Promise.all([first, again].map(async (answer) => (await answer).json()))
  expect(answers[1]).toEqual(answers[0])
})

it('an action whose answer was lost is sent again with the same id, and done once', async () => {
  const { server, backend } = setUp()
  const { client, network } = backend.openPage()
  network.loseAnswers(3)
  const call = client.startToolCall(WORK)
  await server.advance(10_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  const starts = backend.requests.flatMap(({ body }) => (body?.action.type === 'start' ? [body] : []))
  expect(starts.map(({ isRepeated }) => isRepeated)).toEqual([false, true, true, true])
  expect(new Set(starts.map(({ id }) => id)).size).toBe(1)
  expect(server.count('tools/call')).toBe(1)
})

it('a cancellation and a response whose answers were lost are done once', async () => {
  const { server, backend } = setUp()
  const { client, network } = backend.openPage()
  const ask = client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } })
  const work = client.startToolCall({ name: 'work', arguments: { seconds: 60 } })
  await server.advance(2500)
  network.loseAnswers(4)
  const [inputKey = ''] = Object.keys(ask.getState().inputRequests)
  await Promise.all([
    ask.respond(inputKey, { action: 'accept', content: { ok: true } }),
    work.cancel(),
    server.advance(10_000),
  ])
  expect([server.count('tasks/update'), server.count('tasks/cancel')]).toEqual([1, 1])
  expect([ask.getState().phase, work.getState().phase]).toEqual(['completed', 'cancelled'])
})

it('a start whose answer was lost with the process that gave it is joined by the next one', async () => {
  const { server, backend } = setUp()
  const { client, network } = backend.openPage()
  client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
  await server.advance(3000)
  network.loseAnswers(1)
  const again = client.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'k', repeat: 'always' })
  await server.advance(200)
  await backend.restart()
  await server.advance(10_000)
  expect(await again.result).toMatchObject({ structuredContent: { seconds: 5 } })
  expect(server.count('tools/call')).toBe(2)
})

// page  (no news)  start ─ fails ─ start, again ─── answer: a run of its own
// backend   last run ▪  down ······ finds the record of the last run ─ tools/call
it('a start that could not be sent at first, by a page without news, is not taken for the run of before', async () => {
  const { server, backend } = setUp()
  const first = backend.openPage()
  first.client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'weekly' })
  await server.advance(20_000)
  await first.page.crash()
  const { client, network } = backend.openPage()
  network.cut()
  const again = client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'weekly', repeat: 'settled' })
  await server.advance(100)
  network.mend()
  await server.advance(20_000)
  expect(await again.result).toMatchObject({ structuredContent: { seconds: 3 } })
  expect(server.count('tools/call')).toBe(2)
})

it('a start that was asked for offline is not taken for the call that another device has made of that key meanwhile', async () => {
  const { server, backend } = setUp()
  const { client, page, network } = backend.openPage()
  network.cut()
  await page.setOnline(false)
  const own = client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'weekly', repeat: 'settled' })
  const phone = backend.openPage(() => 'ada', { crossTab: false })
  phone.client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'weekly' })
  await server.advance(20_000)
  // The network of the device is back before the way to the backend is.
  await page.setOnline(true)
  await server.advance(100)
  network.mend()
  await server.advance(20_000)
  expect(await own.result).toMatchObject({ structuredContent: { seconds: 3 } })
  expect(server.count('tools/call')).toBe(2)
})

// page   news ─ offline ─ start ················· online ─ news: done ─ start ─ answer
// phone                  └ tools/call ─ done
describe('a start that was asked for offline by a page that knows its backend, while another device makes a call of its key', () => {
  async function startMeanwhile(repeat: 'never' | 'settled', seconds: number) {
    const { server, backend } = setUp()
    const { client, page, network } = backend.openPage()
    await Promise.all([client.connect(), server.advance(1000)])
    network.cut()
    await page.setOnline(false)
    const own = client.startToolCall({ name: 'work', arguments: { seconds } }, { key: 'weekly', repeat })
    const ended = own.result.catch((error: unknown) => error)
    const phone = backend.openPage(() => 'ada', { crossTab: false })
    phone.client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'weekly' })
    await server.advance(20_000)
    await page.setOnline(true)
    // The stream is open again before the start gets through.
    network.refuse(1, 30, 'POST')
    network.mend()
    await server.advance(60_000)
    return { server, ended, client }
  }

  it('makes a call of its own to run it again', async () => {
    const { server, ended } = await startMeanwhile('settled', 3)
    expect(await ended).toMatchObject({ structuredContent: { seconds: 3 } })
    expect(server.count('tools/call')).toBe(2)
  })

  it('is refused where the arguments differ, and shows the call of the other device', async () => {
    const { server, ended, client } = await startMeanwhile('never', 3)
    expect(await ended).toBeInstanceOf(ToolCallKeyConflictError)
    expect(Object.values(client.store.getState().calls)).toMatchObject([{ key: 'weekly', phase: 'completed' }])
    expect(server.count('tools/call')).toBe(1)
  })

  it('is that call where the arguments are the same', async () => {
    const { server, ended } = await startMeanwhile('never', 1)
    expect(await ended).toMatchObject({ structuredContent: { seconds: 1 } })
    expect(server.count('tools/call')).toBe(1)
  })
})

// page   start ─ fails ──────────────────────── start, again: was it sent before?
// phone                 └ tools/call, same key
describe('a start that fails at first, while another device makes a call of its key with other arguments', () => {
  async function startMeanwhile(repeat: 'never' | 'settled') {
    const { server, backend } = setUp()
    const { client, network } = backend.openPage()
    await Promise.all([client.connect(), server.advance(1000)])
    network.cut()
    const own = client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'weekly', repeat })
    const ended = own.result.catch((error: unknown) => error)
    await server.advance(100)
    const phone = backend.openPage(() => 'ada', { crossTab: false })
    phone.client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'weekly' })
    await server.advance(5000)
    network.mend()
    await server.advance(60_000)
    return { server, ended }
  }

  it('makes a call of its own to run it again', async () => {
    const { server, ended } = await startMeanwhile('settled')
    expect(await ended).toMatchObject({ structuredContent: { seconds: 3 } })
    expect(server.count('tools/call')).toBe(2)
  })

  it('is refused, and does not have the outcome of the other device', async () => {
    const { server, ended } = await startMeanwhile('never')
    expect(await ended).toBeInstanceOf(ToolCallKeyConflictError)
    expect(server.count('tools/call')).toBe(1)
  })

  it('is refused also by a backend that was started again, and knows the other call by its record', async () => {
    const { server, backend } = setUp()
    const { client, network } = backend.openPage()
    await Promise.all([client.connect(), server.advance(1000)])
    network.cut()
    const own = client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'weekly' })
    const ended = own.result.catch((error: unknown) => error)
    await server.advance(100)
    const phone = backend.openPage(() => 'ada', { crossTab: false })
    phone.client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'weekly' })
    await server.advance(5000)
    await backend.restart()
    network.mend()
    await server.advance(60_000)
    expect(await ended).toBeInstanceOf(ToolCallKeyConflictError)
    expect(server.count('tools/call')).toBe(1)
  })
})

// page       start ─ answer lost ─ start, again ·················· answer
// process A        tools/call ▪
// process B                                     └ who is it? ─ finds the call
it('a start whose answer was lost is joined by a process that takes long to find out whose request it is', async () => {
  let lookUpMs = 0
  const { server, backend } = setUp({
    clientOf: async () => {
      if (lookUpMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, lookUpMs))
      return backend.clientOf('ada')
    },
  })
  const { setTimeout } = server.browser.openPage().environment
  const { client, network } = backend.openPage()
  network.loseAnswers(1)
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'k', repeat: 'always' })
  await server.advance(200)
  expect(server.count('tools/call')).toBe(1)
  await backend.restart()
  lookUpMs = 25_000
  await server.advance(60_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  expect(server.count('tools/call')).toBe(1)
})

it('a stream that breaks off is resumed by Last-Event-ID, with what has changed since', async () => {
  const { server, backend } = setUp()
  const { client, network } = backend.openPage()
  client.startToolCall({ name: 'echo', arguments: { text: 'x' } })
  const call = client.startToolCall(WORK)
  await server.advance(1500)
  network.dropStreams()
  await server.advance(1500)
  const streams = backend.requests.filter(({ method }) => method === 'GET')
  expect(streams.map(({ lastEventId }) => lastEventId)).toEqual([null, expect.stringMatching(/:\d+$/)])
  const response = await network.send({ method: 'GET', headers: { 'last-event-id': streams[1]?.lastEventId ?? '' } })
  const { value } = (await response.body?.getReader().read()) ?? {}
  const news = JSON.parse(/data: (.*)/.exec(new TextDecoder().decode(value))?.[1] ?? '')
  expect(news).toMatchObject({ from: expect.any(Number), calls: [{ name: 'work' }] })
  await server.advance(5000)
  expect(call.getState().phase).toBe('completed')
})

it.each([
  ['of another life of the backend', 'another-epoch:3'],
  ['from the future', ':99999'],
  ['that is none', 'DROP TABLE calls'],
])('a Last-Event-ID %s brings a snapshot', async (_, id) => {
  const { server, backend } = setUp()
  const { client, network } = backend.openPage()
  client.startToolCall(WORK)
  await server.advance(1500)
  const epoch = /id: (.*):\d+\n/
  const read = async (lastEventId: string) => {
    const response = await network.send({ method: 'GET', headers: { 'last-event-id': lastEventId } })
    return new TextDecoder().decode((await response.body?.getReader().read())?.value)
  }
  const own = epoch.exec(await read(''))?.[1] ?? ''
  const text = await read(id.startsWith(':') ? own + id : id)
  expect(text).not.toContain('"from"')
  expect(text).toContain('"name":"work"')
})

it('a backend that is killed in the middle of a task goes on with it after its start, and so does the page', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const call = client.startToolCall(WORK, { key: 'k' })
  await server.advance(2500)
  await backend.restart()
  await server.advance(1500)
  expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok' })
  await server.advance(5000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  expect(server.count('tools/call')).toBe(1)
})

it('a call that the next process of the backend does not know ends with an error', async () => {
  const { server, backend } = setUp({}, { storage: 'memory' })
  const { client } = backend.openPage()
  const call = client.startToolCall(WORK)
  await server.advance(2500)
  await backend.restart()
  await server.advance(12_000)
  await expect(call.result).rejects.toBeInstanceOf(TaskExpiredError)
  await expect(call.result).rejects.toThrow(/backend of this app no longer knows/)
  expect(server.count('tools/call')).toBe(1)
})

it('the outcome of a call that ended before the backend was started again is fetched when somebody looks', async () => {
  const { server, backend } = setUp()
  const { client, page } = backend.openPage()
  client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
  await server.advance(3000)
  await page.close()
  await backend.restart()
  const late = backend.openPage().client
  await Promise.all([late.connect(), server.advance(1000)])
  const callId = late.toolCallId('work', 'k')
  expect(late.getToolCallState(callId)?.phase).toBe('ended')
  const call = late.getToolCall(callId)
  await server.advance(1000)
  expect(await call?.result).toMatchObject({ structuredContent: { seconds: 1 } })
})

it('offline is a state, and what was asked meanwhile is sent once', async () => {
  const { server, backend } = setUp()
  const { client, page, network } = backend.openPage()
  const running = client.startToolCall(WORK)
  await server.advance(1500)
  network.cut()
  await page.setOnline(false)
  expect(running.getState()).toMatchObject({ phase: 'working', network: 'offline' })
  expect(client.store.getState().connection.status).toBe('connecting')
  const waiting = client.startToolCall({ name: 'work', arguments: { seconds: 1 } })
  void running.cancel()
  await server.advance(2000)
  expect(waiting.getState()).toMatchObject({ phase: 'calling', network: 'offline' })
  expect(running.getState()).toMatchObject({ isCancelling: true })
  network.mend()
  await page.setOnline(true)
  await server.advance(4000)
  expect(await waiting.result).toMatchObject({ structuredContent: { seconds: 1 } })
  expect([backend.count('start'), backend.count('cancel')]).toEqual([2, 1])
  expect(client.store.getState().connection.status).toBe('connected')
})

it('a network that is gone without a word from the browser shows as retrying', async () => {
  const { server, backend } = setUp()
  const { client, network } = backend.openPage()
  const call = client.startToolCall(WORK)
  await server.advance(1500)
  network.cut()
  await server.advance(3000)
  expect(call.getState()).toMatchObject({ network: 'retrying' })
  expect(client.store.getState().connection).toMatchObject({ status: 'connecting', error: expect.any(Error) })
  network.mend()
  await server.advance(10_000)
  expect(call.getState().phase).toBe('completed')
})

it('a page that hangs up is noticed, although nothing but the bridge has its request any longer', async () => {
  const { server, backend } = setUp({ maxStreams: 1 })
  const open = async (signal?: AbortSignal) => {
    const headers = { [USER_HEADER]: 'ada' }
    const { status, body } = await backend.bridge.fetch(new Request(BRIDGE_URL, { headers, ...(signal && { signal }) }))
    return { status, body }
  }
  const hangUp = new AbortController()
  const first = await open(hangUp.signal)
  for (let turn = 0; turn < 5; turn += 1) {
    await server.advance(1)
    collectGarbage()
  }
  expect([first.status, (await open()).status]).toEqual([200, 429])
  hangUp.abort()
  expect((await open()).status).toBe(200)
})

it('a stream with heartbeats stays open', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  void client.connect()
  await server.advance(200_000)
  expect(backend.requests.filter(({ method }) => method === 'GET')).toHaveLength(1)
})

it('a reader that is slow gets the newest state of each call and not every one, and one that reads nothing is cut off', async () => {
  const { server, backend } = setUp({ highWaterMark: 200 })
  const { client, network } = backend.openPage()
  client.startToolCall({ name: 'work', arguments: { seconds: 40 } })
  await server.advance(500)
  const response = await network.send({ method: 'GET', headers: {} })
  await server.advance(30_000)
  const reader = response.body?.getReader()
  const pieces: string[] = []
  for (let at = 0; at < 2; at++) pieces.push(new TextDecoder().decode((await reader?.read())?.value))
  expect(pieces[0]).toContain('"calls":[{')
  expect(pieces[1]).toContain('step 30')
  const silent = await network.send({ method: 'GET', headers: {} })
  await server.advance(120_000)
  await expect(readAll(silent)).rejects.toThrow(/cut off/)
})

async function readAll(response: Response): Promise<void> {
  const reader = response.body?.getReader()
  while (!(await reader?.read())?.done);
}

it('a late answer of a process that is gone takes nothing back of what the news of the next one say', async () => {
  const { server, backend } = setUp()
  const { client, network } = backend.openPage()
  network.delayAnswers(1, 8000)
  const call = client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } }, { key: 'k' })
  await server.advance(500)
  await backend.restart()
  await server.advance(15_000)
  expect(call.getState().phase).toBe('input_required')
})

it('a page whose stream was refused by what is in front of the backend reads on', async () => {
  const { server, backend } = setUp()
  let isDown = false
  const opened: ReturnType<typeof backend.openPage> = backend.openPage(() => 'ada', {
    fetch: async (_, init = {}) =>
      isDown ? new Response('404 page not found', { status: 404 }) : opened.network.send(init),
    carrier: serverSentEvents,
  })
  const { client, network } = opened
  const call = client.startToolCall(WORK, { key: 'k' })
  await server.advance(1500)
  isDown = true
  network.dropStreams()
  await server.advance(3000)
  expect(client.store.getState().connection.status).toBe('failed')
  isDown = false
  await server.advance(60_000)
  expect(call.getState().phase).toBe('completed')
  expect(client.store.getState().connection.status).toBe('connected')
})

it('forget() of a call that a page without a network does not know leaves the one that is started meanwhile', async () => {
  const { server, backend } = setUp()
  const { client, network } = backend.openPage()
  const { callId } = client.startToolCall(WORK, { key: 'k' })
  await server.advance(10_000)
  network.cut()
  void client.forget({ callId }).catch(() => {})
  await server.advance(10_000)
  const forgotten = client.forget({ callId })
  const call = client.startToolCall(WORK, { key: 'k' })
  network.mend()
  await Promise.all([forgotten, server.advance(20_000)])
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  expect(server.count('tools/call')).toBe(2)
})
