import { createTaskClient, type TaskClient } from 'taskwire'
import { type ReplayRecorder, recordReplay } from 'taskwire/devtools'
import type { TestServer } from 'taskwire/testing'
import { expect, it } from 'vitest'
import { readFragment } from '../../docs/.vitepress/theme/replay/recording.js'
import { type Recording, readRecording } from '../../src/tools/devtools/recording/recording.js'
import { createWorkServer } from '../support/workServer.js'
import { playRecording } from './playRecording.js'

interface Recorded {
  readonly server: TestServer
  readonly client: TaskClient
  readonly recorder: ReplayRecorder
  advance(ms: number): Promise<void>
}

function record(options: { push?: boolean } = {}): Recorded {
  const server = createWorkServer(options)
  const client = createTaskClient({
    url: server.url,
    environment: server.environment,
    headers: { authorization: 'Bearer s3cret' },
  })
  return { server, client, recorder: recordReplay(client, { now: server.browser.now }), advance: server.advance }
}

function recordingOf({ recorder }: Recorded): Recording {
  const recording = readRecording(recorder.file())
  if (typeof recording === 'string') throw new Error(recording)
  return recording
}

async function expectTheSameAgain(recording: Recording, states: number): Promise<void> {
  const { shown } = await playRecording(recording)
  expect(shown.again).toEqual(shown.recorded)
  expect(shown.recorded.flat().length).toBeGreaterThanOrEqual(states)
}

it.each([false, true])('plays calls again to the states that were recorded, with push: %s', async (push) => {
  const recorded = record({ push })
  const { client, advance } = recorded
  client.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'of the user' })
  client.startToolCall({ name: 'work', arguments: { seconds: 2, outcome: 'failure' } }).result.catch(() => {})
  await advance(1500)
  client.startToolCall({ name: 'work', arguments: { seconds: 3, outcome: 'tool error' } })
  // So long that observers see only its beginning.
  client.startToolCall({ name: 'echo', arguments: { text: 'hello '.repeat(4000) } }).result.catch(() => {})
  await advance(9000)
  await expectTheSameAgain(recordingOf(recorded), 15)
})

it('plays outages, responses and a cancellation again', async () => {
  const recorded = record()
  const { server, client, advance } = recorded
  const asking = client.startToolCall({ name: 'ask', arguments: { questions: ['Is this yours?'] } })
  const cancelled = client.startToolCall({ name: 'work', arguments: { seconds: 60 } })
  cancelled.result.catch(() => {})
  await advance(3000)
  const [inputKey = ''] = Object.keys(asking.getState().inputRequests)
  void asking.respond(inputKey, { action: 'accept', content: { ok: true } })
  await advance(100)
  await server.page.setOnline(false)
  await advance(5000)
  await server.page.setOnline(true)
  await advance(2000)
  void cancelled.cancel()
  await advance(5000)
  expect([asking.getState().phase, cancelled.getState().phase]).toEqual(['completed', 'cancelled'])
  await expectTheSameAgain(recordingOf(recorded), 8)
})

it('plays a call again that is cancelled while the page still reads what the server has answered', async () => {
  const server = createWorkServer()
  const { fetch, setTimeout } = server.environment
  let polls = 0
  const slowly: typeof fetch = async (url, init) => {
    const { body, status, headers } = await fetch(url, init)
    if (String(init?.body).includes('tasks/get')) polls++
    const late = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) =>
        new Promise((resolve) => setTimeout(() => resolve(controller.enqueue(chunk)), 400)),
    })
    return new Response(body?.pipeThrough(late) ?? null, { status, headers })
  }
  const client = createTaskClient({ url: server.url, environment: { ...server.environment, fetch: slowly } })
  const recorder = recordReplay(client, { now: server.browser.now })
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } })
  call.result.catch(() => {})
  while (polls < 3) await server.advance(100)
  void call.cancel()
  await server.advance(9000)
  expect(call.getState().phase).toBe('cancelled')
  await expectTheSameAgain(recordingOf({ recorder, client, server, advance: server.advance }), 4)
})

it('plays a page again that has found its call in a record', async () => {
  const server = createWorkServer()
  const before = server.browser.openPage()
  createTaskClient({
    url: server.url,
    environment: { ...before.environment, fetch: server.environment.fetch },
  }).startToolCall({ name: 'work', arguments: { seconds: 6 } }, { key: 'a' })
  await server.advance(2500)
  await before.crash()
  const client = createTaskClient({ url: server.url, environment: server.environment })
  const recorder = recordReplay(client, { now: server.browser.now })
  client.startToolCall({ name: 'work', arguments: { seconds: 6 } }, { key: 'a' })
  await server.advance(9000)
  const recording = recordingOf({ recorder, client, server, advance: server.advance })
  expect(recording.steps.some(({ event }) => event?.type === 'sent' && event.method === 'tools/call')).toBe(false)
  await expectTheSameAgain(recording, 4)
})

it('is told of a client that shows something else', async () => {
  const recorded = record()
  recorded.client.startToolCall({ name: 'work', arguments: { seconds: 3 } })
  await recorded.advance(9000)
  const text = JSON.stringify(recordingOf(recorded))
  const { shown } = await playRecording(JSON.parse(text.replaceAll('"status":"completed","', '"status":"cancelled","')))
  expect(shown.again).not.toEqual(shown.recorded)
})

it('holds nothing of the user and no id, and can be watched in the page', async () => {
  const recorded = record()
  const { client, recorder, advance } = recorded
  const call = client.startToolCall(
    { name: 'work', arguments: { seconds: 2, secret: 'of hers' } },
    { key: 'of the user', meta: { title: 'Of the user' } },
  )
  await advance(500)
  const { taskId = '' } = call.getState().task ?? {}
  await advance(9000)
  await call.result
  const text = recorder.file()
  for (const secret of ['of hers', 'of the user', 'Of the user', 's3cret', 'success', 'step 1', taskId, call.callId])
    expect(text).not.toContain(secret)
  const watched = await readFragment(await recorder.fragment())
  expect(watched?.title).toBe('Calls of work')
  expect(watched?.steps.map(({ text: what }) => what)).toContain('shows work, key-1: completed, task-1')
})
