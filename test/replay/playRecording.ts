// Loaded before time is simulated: with the first observer it would be loaded in real time.
import '../../src/core/client/observe/observer.js'
import type { TaskClient } from 'taskwire'
import { recordReplay } from 'taskwire/devtools'
import { createSimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import {
  type RecordedEvent,
  type Recording,
  readRecording,
  type ShownState,
} from '../../src/tools/devtools/recording/recording.js'
import { type ClientKind, createClientOf } from '../support/createClientOf.js'
import { leaveRecords } from './leaveRecords.js'
import { createRecordedServer } from './recordedServer.js'

/** What became of a recording that was played again. */
export interface Replayed {
  /** A recording of the client that was told the same. */
  readonly recording: Recording
  /** What the calls showed: in the recording, and now. */
  readonly shown: { readonly recorded: readonly Shown[]; readonly again: readonly Shown[] }
}

/** The states of one call, in their order, without times. */
export type Shown = readonly string[]

/** Tells a new client what the recorded one was told, when it was told it. */
export async function playRecording(recording: Recording, kind: ClientKind = 'full'): Promise<Replayed> {
  const { startedAt, steps } = recording
  const events = steps.flatMap(({ at, event }) => (event === undefined ? [] : [{ at: startedAt + at, event }]))
  // What is answered is taken before the next event, also where both came in the same millisecond.
  const browser = createSimulatedBrowser({ now: startedAt, turns: 60, fetch: (url, init) => server.fetch(url, init) })
  const server = createRecordedServer(events.map(({ event }) => event))
  await leaveRecords(recording, browser)
  const page = browser.openPage()
  await page.setOnline(recording.isOnline)
  await page.setVisible(recording.isVisible)
  const push = events.some(({ event }) => event.type === 'sent' && event.method === 'subscriptions/listen')
  const client = createClientOf(kind, { url: 'http://localhost/mcp', environment: page.environment, push })
  const recorder = recordReplay(client, { now: browser.now })
  const app = createApp(client, page)
  for (const { at, event } of events) {
    await browser.advance(Math.max(0, at - browser.now()))
    await app.take(event)
    server.pass(event)
    await browser.settle()
  }
  const recorded = shownIn(recording)
  let again = read(recorder.file())
  // Waits that are drawn, such as a backoff, may be longer this time.
  for (let waited = 0; isBehind(shownIn(again), recorded) && waited < PATIENCE_MS; waited += 500) {
    await browser.advance(500)
    again = read(recorder.file())
  }
  recorder.stop()
  await client.close()
  return { recording: again, shown: { recorded, again: shownIn(again) } }
}

const PATIENCE_MS = 60_000

const isBehind = (again: readonly Shown[], recorded: readonly Shown[]) =>
  recorded.some((states, index) => (again[index]?.length ?? 0) < states.length)

function read(file: string): Recording {
  const recording = readRecording(file)
  if (typeof recording === 'string') throw new Error(recording)
  return recording
}

/** Does what the app, the user and the browser did. */
function createApp(client: TaskClient, page: SimulatedPage) {
  /** The calls of the client by their names in the recording. */
  const calls = new Map<string, string>()
  const starts = new Map<string, string>()

  function callOf(callId: string) {
    const known = calls.get(callId)
    return known === undefined ? undefined : client.getToolCall(known)
  }

  /** A call that the page found in a record, or was told of by another tab. */
  function found({ name, key }: ShownState): string {
    if (key !== undefined) return client.toolCallId(name, key)
    const taken = new Set(calls.values())
    const own = Object.values(client.store.getState().calls).find((call) => !('key' in call) && !taken.has(call.callId))
    return own?.callId ?? ''
  }

  return {
    take: async (event: RecordedEvent): Promise<void> => {
      if (event.type === 'page') return takePage(page, event.state)
      if (event.type === 'sent' && event.method === 'server/discover') client.connect().catch(() => {})
      if (event.type === 'shows') return takeShown(event.callId, event.state)
      if (event.type !== 'call') return
      const { callId, type, inputKey, status } = event.observation
      if (type === 'input-sent')
        callOf(callId)
          ?.respond(String(inputKey), { action: 'accept', content: {} })
          .catch(() => {})
      if (type === 'cancel' && status === 'sending')
        callOf(callId)
          ?.cancel()
          .catch(() => {})
    },
  }

  /** A call that appears was started; one that was told of by its state alone is as the page shows it first. */
  function takeShown(callId: string, state: ShownState | null): void {
    const known = calls.get(callId)
    if (state === null) {
      calls.delete(callId)
      if (known !== undefined && known in client.store.getState().calls)
        client.forget({ callId: known }).catch(() => {})
      return
    }
    const isCalledAgain =
      known !== undefined && starts.get(callId) !== `${state.startedAt}` && state.phase === 'calling'
    if (known !== undefined && !isCalledAgain) return
    starts.set(callId, `${state.startedAt}`)
    if (state.phase !== 'calling') {
      client.resumeToolCalls().catch(() => {})
      calls.set(callId, found(state))
      return
    }
    const call = client.startToolCall(
      { name: state.name, arguments: { call: callId } },
      { ...(state.key !== undefined && { key: state.key }), ...(isCalledAgain && { repeat: 'always' as const }) },
    )
    call.result.catch(() => {})
    calls.set(callId, call.callId)
  }
}

async function takePage(page: SimulatedPage, state: string): Promise<void> {
  switch (state) {
    case 'online':
    case 'offline':
      return page.setOnline(state === 'online')
    case 'visible':
    case 'hidden':
      return page.setVisible(state === 'visible')
    case 'frozen':
      return page.hidePage()
    case 'restored':
      return page.showPage()
  }
}

/** The states that each call of a recording went through. Names count by the order in which they appear. */
function shownIn({ steps }: Recording): Shown[] {
  const ofCalls = new Map<string, string[]>()
  for (const { event } of steps) {
    if (event?.type !== 'shows') continue
    const states = ofCalls.get(event.callId) ?? []
    ofCalls.set(event.callId, states)
    const { startedAt: _, endedAt: __, ...state } = event.state ?? { startedAt: 0, gone: true }
    const text = JSON.stringify(state)
    if (states.at(-1) !== text) states.push(text)
  }
  return [...ofCalls.values()].map(renamed)
}

function renamed(states: readonly string[]): string[] {
  const names = new Map<string, string>()
  return states.map((state) =>
    state.replace(/\b(key|task|message|input)-\d+\b/g, (name, kind: string) => {
      const known =
        names.get(name) ?? `${kind} ${[...names.keys()].filter((other) => other.startsWith(kind)).length + 1}`
      names.set(name, known)
      return known
    }),
  )
}
