import type { CallObservation, TaskClientObservation, WireObservation } from '../../../core/client/observe/events.js'
import { IDEMPOTENCY_KEY_META } from '../../../core/protocol/extension.js'
import type { ToolCallState } from '../../../core/record/toolCallState.js'
import { taskName } from '../model/callRow.js'
import type { ObservedClient } from '../model/devtoolsModel.js'
import {
  FORMAT,
  MAX_STEPS,
  type RecordedEvent,
  type RecordedObservation,
  type RecordedStep,
  type Recording,
  type ShownState,
} from './recording.js'
import { createStandIns, type StandIns, standInMessage } from './standIns.js'
import { createWords } from './words.js'

/** Options of {@link recordReplay}. */
export interface RecordReplayOptions {
  /** The title of the recording. @default the names of the called tools */
  readonly title?: string
  /** Returns the time, in ms since the epoch. @default Date.now */
  readonly now?: () => number
}

/** A recording of a client that continues until you stop it. */
export interface ReplayRecorder {
  /** Returns the recording so far, as the JSON of a file. */
  file(): string
  /** Returns the recording so far, as the fragment of a URL: the page `…/replay#1.…` of the documentation plays it. */
  fragment(): Promise<string>
  /** Ends the recording. */
  stop(): void
}

/**
 * Records the events that a client receives from the app, the server, the page and other tabs, and the states of its calls.
 * Attach the recording to a bug report: others can play it, step by step. Arguments, results, responses, keys, ids of
 * tasks, `meta`, messages, headers and tokens are left out, or replaced by placeholders such as `key-1`. The names of
 * tools, the number of inputs and all times are recorded.
 *
 * @example
 * ```ts
 * const recorder = recordReplay(client)
 * // later
 * const link = `https://docs.example/replay${await recorder.fragment()}`
 * ```
 */
export function recordReplay(client: ObservedClient, options: RecordReplayOptions = {}): ReplayRecorder {
  const { now = Date.now, title } = options
  const startedAt = now()
  const { isOnline, isVisible } = pageNow()
  const name = createStandIns()
  const words = createWords()
  const events: { readonly at: number; readonly event: RecordedEvent }[] = []
  const shown = new Map<string, string>()

  function add(at: number, event: RecordedEvent): void {
    events.push({ at: Math.max(startedAt, at), event })
    if (events.length > MAX_STEPS) events.shift()
  }

  function show(calls: Readonly<Record<string, ToolCallState>>): void {
    for (const state of Object.values(calls)) {
      const of = shownState(state, name)
      const text = JSON.stringify(of)
      if (shown.get(state.callId) === text) continue
      shown.set(state.callId, text)
      add(now(), { type: 'shows', callId: name('call', state.callId), state: of })
    }
    for (const callId of [...shown.keys()]) {
      if (callId in calls) continue
      shown.delete(callId)
      add(now(), { type: 'shows', callId: name('call', callId), state: null })
    }
  }

  show(client.store.getState().calls)
  const unsubscribe = [
    client.store.subscribe(({ calls }) => show(calls)),
    client.observe((observation) => add(observation.at, eventOf(observation, name)), { wire: true }),
  ]

  function recording(): Recording {
    // What is told of the wire is told when its body has been read.
    const inOrder = [...events].sort((one, other) => one.at - other.at)
    const steps = inOrder.map(({ at, event }): RecordedStep => ({ at: at - startedAt, ...words.of(event), event }))
    return { format: FORMAT, version: 1, title: title ?? titleOf(steps), startedAt, isOnline, isVisible, steps }
  }

  return {
    file: () => JSON.stringify(recording()),
    fragment: () => toFragment(JSON.stringify(recording())),
    stop: () => {
      for (const stop of unsubscribe) stop()
    },
  }
}

/** Outside of a page there is nothing to hide or to take offline. */
function pageNow() {
  return {
    isOnline: typeof navigator === 'undefined' || navigator.onLine !== false,
    isVisible: typeof document === 'undefined' || document.visibilityState !== 'hidden',
  }
}

function titleOf(steps: readonly RecordedStep[]): string {
  const tools = steps.flatMap(({ event }) => (event?.type === 'call' ? [event.observation.tool] : []))
  return tools.length === 0 ? 'No calls' : `Calls of ${[...new Set(tools)].join(', ')}`
}

function eventOf(observation: TaskClientObservation, name: StandIns): RecordedEvent {
  if ('callId' in observation) return { type: 'call', observation: observationOf(observation, name) }
  return observation.type === 'page' ? { type: 'page', state: observation.state } : wireEventOf(observation, name)
}

function observationOf(observation: CallObservation, name: StandIns): RecordedObservation {
  const { callId, task, ...rest } = observation
  return {
    ...rest,
    callId: name('call', callId),
    ...(task !== undefined && { task: name('task', task) }),
    ...('inputKey' in rest && { inputKey: name('input', rest.inputKey) }),
    // Messages of errors have words of the server in them.
    ...('error' in rest && rest.error !== undefined && { error: { name: rest.error.name, message: '' } }),
  }
}

function wireEventOf(observation: WireObservation, name: StandIns): RecordedEvent {
  const { exchange, body } = observation
  const message = body === undefined ? undefined : parsed(body)
  switch (observation.type) {
    case 'wire-sent': {
      const { task, method = 'response' } = observation
      if (method === 'tools/call') return { type: 'sent', exchange, method, ...callSent(message, name) }
      return { type: 'sent', exchange, method, ...(task !== undefined && { about: name('task', task) }) }
    }
    case 'wire-answered': {
      const { http, isStream } = observation
      return {
        type: 'answered',
        exchange,
        status: http?.status ?? 200,
        headers: keptHeaders(http?.headers),
        ...(isStream && { isStream }),
        ...(message !== undefined && { message: standInMessage(message, name) }),
      }
    }
    case 'wire-failed':
      return { type: 'failed', exchange }
    case 'wire-event':
      return { type: 'event', exchange, message: standInMessage(message, name) }
  }
}

/** The tool, and the key by which the server knows the call if it comes again. */
function callSent(message: unknown, name: StandIns): { about?: string; key?: string } {
  const { name: tool, _meta: meta } = Object(Object(message)['params']) as Record<string, unknown>
  const key: unknown = Object(meta)[IDEMPOTENCY_KEY_META]
  return {
    ...(typeof tool === 'string' && { about: tool }),
    ...(typeof key === 'string' && { key: name('sent', key) }),
  }
}

function keptHeaders(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { 'retry-after': retryAfter, 'mcp-session-id': session } = headers
  return { ...(retryAfter && { 'retry-after': retryAfter }), ...(session && { 'mcp-session-id': 'session' }) }
}

/** Undefined for what is no JSON. */
function parsed(body: string): unknown {
  for (const text of [body, closed(body)]) {
    try {
      return JSON.parse(text)
    } catch {
      // The next one may be whole.
    }
  }
  return undefined
}

/** The whole members of JSON whose end was cut off, as `observe()` does with what is long. */
function closed(text: string): string {
  const open: string[] = []
  let isString = false
  let whole = ''
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index)
    if (isString && char === '\\') index++
    else if (char === '"') isString = !isString
    else if (isString) continue
    else if (char === '{') open.push('}')
    else if (char === '[') open.push(']')
    else if (char === '}' || char === ']') open.pop()
    else if (char === ',') whole = text.slice(0, index) + [...open].reverse().join('')
  }
  return whole
}

function shownState(state: ToolCallState, name: StandIns): ShownState {
  const { key, phase, network, failureCount, startedAt, endedAt, task, progress, cancelStatus, error } = state
  const inputs = Object.keys(state.inputRequests).map((input) => name('input', input))
  const responses = Object.entries(state.inputResponses)
  return {
    name: state.name,
    phase,
    network,
    failureCount,
    startedAt,
    ...(key !== undefined && { key: name('key', key) }),
    ...(endedAt !== undefined && { endedAt }),
    ...(task && {
      // As observations call it.
      task: name('task', taskName(task.taskId)),
      status: task.status,
    }),
    ...(task?.statusMessage !== undefined && { message: name('message', task.statusMessage) }),
    ...(progress && { progress: progress.progress }),
    ...(cancelStatus && { cancelStatus }),
    ...(inputs.length > 0 && { inputs }),
    ...(responses.length > 0 && {
      responses: Object.fromEntries(responses.map(([input, { status }]) => [name('input', input), status])),
    }),
    ...(error && { error: error.name }),
  }
}

async function toFragment(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return `#1.${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
