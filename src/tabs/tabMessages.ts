import type { CallMessage } from '../call/callTabs.js'
import { POLLING_MS, type TaskMessage } from '../call/taskMessage.js'
import { parseCallToolResult } from '../protocol/callToolResult.js'
import { isTaskError, TaskError } from '../protocol/errors.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { type DetailedTask, parseDetailedTask } from '../protocol/task.js'
import {
  decodeToolCallRecord,
  encodeToolCallRecord,
  LONGEST_WAIT_MS,
  type ToolCallRecord,
} from '../storage/toolCallRecord.js'

/** What tabs post to each other. */
export type TabMessage =
  | { readonly type: 'call'; readonly callId: string; readonly message: CallMessage }
  | { readonly type: 'task'; readonly taskId: string; readonly message: TaskMessage }
  /** Asks every tab what it knows of a task, and the one that leads to say so. No earlier than `nextPollAt` may it be polled. */
  | { readonly type: 'sync-request'; readonly taskId: string; readonly nextPollAt?: number }
  /** A call was forgotten; without a `callId`, every one was. What was started after `at`, ms since the epoch, was not. */
  | { readonly type: 'forgotten'; readonly callId?: string; readonly at: number }
  /** Posted by the leader: true if its page can be seen. */
  | { readonly type: 'leader'; readonly isVisible: boolean }

const VERSION = 1

/** A message as plain data, for `postMessage`. Errors travel as JSON. */
export function encodeTabMessage(message: TabMessage): JsonObject {
  if (!('message' in message)) return { ...message, v: VERSION }
  return { ...message, message: encodePayload(message.message), v: VERSION }
}

function encodePayload(message: CallMessage | TaskMessage): JsonObject {
  if (message.type === 'created') return { ...message, record: encodeToolCallRecord(message.record) }
  if ('error' in message) return { ...message, error: encodeError(message.error) }
  if (message.type === 'settled' && 'error' in message.outcome) {
    return { ...message, outcome: { error: encodeError(message.outcome.error) } }
  }
  return { ...message }
}

function encodeError(error: Error): JsonObject {
  return isTaskError(error) ? error.toJSON() : { name: error.name, message: error.message }
}

/**
 * How far ahead of the clock each time in a message may lie, in ms. Any script of the origin can send one, and a
 * clock may have been set back since: a later time counts as this far ahead, and one that is no finite number
 * makes the message none.
 */
const AHEAD_MS = {
  until: POLLING_MS,
  nextPollAt: LONGEST_WAIT_MS,
  earliestAt: LONGEST_WAIT_MS,
  notedAt: LONGEST_WAIT_MS,
  // A call made in the millisecond in which another one was forgotten starts later than that.
  startedAt: LONGEST_WAIT_MS,
  receivedAt: 0,
  askedAt: 0,
  // What is called after the message has arrived was not forgotten.
  at: 0,
} as const

type Times<N extends keyof typeof AHEAD_MS> = { readonly [K in N]: number }

/** These times of a message, undefined where one of them is none. */
function decodeTimes<N extends keyof typeof AHEAD_MS>(
  message: JsonObject,
  now: number,
  ...names: readonly N[]
): Times<N> | undefined {
  const times: Partial<Record<N, number>> = {}
  for (const name of names) {
    const time = message[name]
    if (typeof time !== 'number' || !Number.isFinite(time)) return undefined
    times[name] = Math.min(time, now + AHEAD_MS[name])
  }
  return times as Times<N>
}

/**
 * The message, or undefined for what is none: another version's, or another script's on the same channel. `now`
 * is in ms since the epoch.
 */
export function decodeTabMessage(value: unknown, now: number): TabMessage | undefined {
  if (!isJsonObject(value) || value['v'] !== VERSION) return undefined
  const { type, callId, taskId } = value
  switch (type) {
    case 'sync-request':
      return typeof taskId === 'string' ? { type, taskId, ...decodeTimes(value, now, 'nextPollAt') } : undefined
    case 'leader':
      return { type, isVisible: value['isVisible'] === true }
    case 'forgotten': {
      const times = decodeTimes(value, now, 'at')
      return times && { type, ...times, ...(typeof callId === 'string' && { callId }) }
    }
    case 'task': {
      const message = decodeTaskMessage(value['message'], now)
      return message && typeof taskId === 'string' ? { type, taskId, message } : undefined
    }
    case 'call': {
      const message = decodeCallMessage(value['message'], now)
      return message && typeof callId === 'string' ? { type, callId, message } : undefined
    }
    default:
      return undefined
  }
}

function decodeTaskMessage(value: unknown, now: number): TaskMessage | undefined {
  if (!isJsonObject(value)) return undefined
  const { type, network, inputKey } = value
  switch (type) {
    case 'polling': {
      const times = decodeTimes(value, now, 'until')
      return times && { type, ...times }
    }
    case 'poll-aborted': {
      const times = decodeTimes(value, now, 'nextPollAt')
      return times && { type, ...times }
    }
    case 'snapshot': {
      const times = decodeTimes(value, now, 'nextPollAt')
      const task = decodeDetailedTask(value['task'])
      const known = { ...decodeTimes(value, now, 'askedAt'), ...decodeTimes(value, now, 'earliestAt') }
      return times && task && { type, task, ...times, ...known }
    }
    case 'poll-failed': {
      const times = decodeTimes(value, now, 'nextPollAt', 'earliestAt')
      const { failureCount } = value
      if (times === undefined || (network !== 'retrying' && network !== 'paused')) return undefined
      if (typeof failureCount !== 'number' || !Number.isSafeInteger(failureCount) || failureCount < 0) return undefined
      return { type, error: TaskError.fromJSON(value['error']), failureCount, network, ...times }
    }
    case 'ended':
      return { type, error: TaskError.fromJSON(value['error']) }
    case 'responded':
      return typeof inputKey === 'string' ? { type, inputKey } : undefined
    case 'cancelling':
      return { type, isCancelling: value['isCancelling'] === true }
    default:
      return undefined
  }
}

function decodeDetailedTask(value: unknown): DetailedTask | undefined {
  try {
    return parseDetailedTask(value, 'other')
  } catch {
    return undefined
  }
}

function decodeCallMessage(value: unknown, now: number): CallMessage | undefined {
  if (!isJsonObject(value)) return undefined
  const { type, record, outcome, argumentsHash } = value
  if (type === 'wanted') return { type }
  if (type === 'created') {
    const decoded = typeof record === 'string' ? decodeRecord(record, now) : undefined
    return decoded && { type, record: decoded }
  }
  if (type !== 'settled' || !isJsonObject(outcome)) return undefined
  const hashed = typeof argumentsHash === 'string' && { argumentsHash }
  if ('error' in outcome) return { type, ...hashed, outcome: { error: TaskError.fromJSON(outcome['error']) } }
  const parsed = parseCallToolResult(outcome['result'])
  return 'result' in parsed ? { type, ...hashed, outcome: parsed } : undefined
}

/** JSON has a number that is read as Infinity: 1e999. */
function decodeRecord(text: string, now: number): ToolCallRecord | undefined {
  const record = decodeToolCallRecord(text)
  const { task } = record ?? {}
  const started = record && decodeTimes({ ...record }, now, 'startedAt')
  if (record === undefined || started === undefined) return undefined
  if (task === undefined) return { ...record, ...started }
  const { nextPollAt = task.receivedAt, notedAt = task.receivedAt } = task
  const times = decodeTimes({ ...task, nextPollAt, notedAt }, now, 'receivedAt', 'nextPollAt', 'notedAt')
  return times && { ...record, ...started, task: { ...task, ...times } }
}
