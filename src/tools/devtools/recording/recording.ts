import type { CallObservation } from '../../../core/client/observe/events.js'
import { isJsonObject } from '../../../core/protocol/json.js'
import { isPhase, type ToolCallState } from '../../../core/record/toolCallState.js'
import { isTime, readObservation } from '../model/plainObservation.js'

/** What the engine was told, or what it has made of it, without anything that is the user's. */
export type RecordedEvent =
  | { readonly type: 'page'; readonly state: string }
  | {
      readonly type: 'sent'
      readonly exchange: number
      readonly method: string
      /** The task, or the tool. */
      readonly about?: string
      /** Of a `tools/call`: equal where it is sent again. */
      readonly key?: string
    }
  | {
      readonly type: 'answered'
      readonly exchange: number
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly isStream?: boolean
      /** The message of JSON-RPC. Absent where it was too long to be read, or is none. */
      readonly message?: unknown
    }
  | { readonly type: 'failed'; readonly exchange: number }
  | { readonly type: 'event'; readonly exchange: number; readonly message: unknown }
  /** What `client.observe()` has told of a call. */
  | { readonly type: 'call'; readonly observation: RecordedObservation }
  /** What the page shows of a call from now on; null where it shows it no longer. */
  | { readonly type: 'shows'; readonly callId: string; readonly state: ShownState | null }

/** A `CallObservation` as JSON, with stand-ins. */
export interface RecordedObservation {
  readonly type: string
  readonly at: number
  readonly callId: string
  readonly tool: string
  readonly [member: string]: unknown
}

/** The part of the state of a call that is not the user's. */
export interface ShownState {
  readonly name: string
  readonly key?: string
  readonly phase: string
  readonly network: string
  readonly failureCount: number
  readonly startedAt: number
  readonly endedAt?: number
  readonly task?: string
  readonly status?: string
  readonly message?: string
  readonly progress?: number
  readonly cancelStatus?: string
  readonly inputs?: readonly string[]
  readonly responses?: Readonly<Record<string, string>>
  readonly error?: string
}

/** Something that happened. The page of the documentation shows these. */
export interface RecordedStep {
  /** ms since the recording began. */
  readonly at: number
  /** A tab, `storage` or `server`. */
  readonly in: string
  readonly text: string
  /** What there is to see from now on: of which call, record or task, and what; null where it is gone. */
  readonly set?: readonly [id: string, what: string | null]
  /** The same for programs. */
  readonly event?: RecordedEvent
}

/** A recording as JSON. */
export interface Recording {
  readonly format: typeof FORMAT
  readonly version: 1
  readonly title: string
  /** When it began, ms since the epoch. */
  readonly startedAt: number
  readonly isOnline: boolean
  readonly isVisible: boolean
  readonly steps: readonly RecordedStep[]
}

export const FORMAT = 'taskwire-recording'

/** As many steps does a recording have: of a long session the latest. Of a file that has more, no more are shown of a call. */
export const MAX_STEPS = 5000

/** The recording that a text is, or why it is none. */
export function readRecording(text: string): Recording | string {
  let body: Partial<Recording>
  try {
    body = Object(JSON.parse(text))
  } catch {
    return 'This file is not JSON.'
  }
  const { format, version, startedAt, steps } = body
  if (format !== FORMAT || version !== 1) return 'This file is not a recording of the Taskwire devtools.'
  if (!isTime(startedAt) || !Array.isArray(steps) || !steps.every(isStep)) return 'This recording is damaged.'
  return body as Recording
}

/** True for a step whose call can be listed, if it is about one. */
function isStep(step: unknown): boolean {
  if (!isJsonObject(step) || !isTime(step['at'])) return false
  const { event } = step
  if (event === undefined) return true
  if (!isJsonObject(event)) return false
  if (event['type'] === 'call') return readObservation(event['observation']).length > 0
  if (event['type'] !== 'shows') return true
  if (typeof event['callId'] !== 'string') return false
  if (event['state'] === null) return true
  const { name, key = '', startedAt, endedAt = startedAt } = Object(event['state']) as Record<string, unknown>
  return typeof name === 'string' && typeof key === 'string' && isTime(startedAt) && isTime(endedAt)
}

/** What happened to a call, from a file. */
export interface RecordedCall {
  /** Names it among the calls of all files. */
  readonly key: string
  readonly call: ToolCallState
  readonly observations: readonly CallObservation[]
  /** The file. */
  readonly text: string
}

/** The calls of a recording, as a panel lists them. `number` tells the files of a panel apart. */
export function callsOf({ steps }: Recording, text: string, number: number): RecordedCall[] {
  const states = new Map<string, ShownState>()
  const observations = new Map<string, RecordedObservation[]>()
  for (const { event } of steps) {
    if (event?.type === 'shows' && event.state !== null) states.set(event.callId, event.state)
    if (event?.type !== 'call') continue
    const { callId } = event.observation
    const ofCall = observations.get(callId)
    if (ofCall === undefined) observations.set(callId, [event.observation])
    else ofCall.push(event.observation)
  }
  return [...states].map(([callId, state]) => ({
    key: `file ${number} ${callId}`,
    call: stateOf(callId, state),
    observations: (observations.get(callId) ?? []).slice(-MAX_STEPS).flatMap(readObservation),
    text,
  }))
}

/** As much of a state as a recording has: the panel shows it, and asks no client about it. */
function stateOf(callId: string, { name, key, phase, startedAt, endedAt }: ShownState): ToolCallState {
  const state = {
    callId,
    name,
    startedAt,
    phase: isPhase(phase) ? phase : 'ended',
    ...(key !== undefined && { key }),
    ...(endedAt !== undefined && { endedAt }),
    inputRequests: {},
    inputResponses: {},
    isCancelling: false,
    network: 'ok',
    failureCount: 0,
  }
  return state as unknown as ToolCallState
}
