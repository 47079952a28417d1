import type { CallMessage } from '../call/callTabs.js'
import type { TaskMessage } from '../call/taskMessage.js'
import { parseCallToolResult } from '../protocol/callToolResult.js'
import { isTaskError, TaskError } from '../protocol/errors.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { parseDetailedTask } from '../protocol/task.js'
import { decodeTaskRecord, encodeTaskRecord } from '../storage/taskRecord.js'

/** What tabs post to each other. */
export type TabMessage =
  | { readonly type: 'call'; readonly callId: string; readonly message: CallMessage }
  | { readonly type: 'task'; readonly taskId: string; readonly message: TaskMessage }
  /** Asks every tab what it knows of a task, and the one that leads to say so. */
  | { readonly type: 'sync-request'; readonly taskId: string }
  /** A call was forgotten; without a `callId`, every one was. What was started after `at`, ms since the epoch, was not. */
  | { readonly type: 'forgotten'; readonly callId?: string; readonly at: number }
  /** Posted by the tab that leads: whether its page can be seen. */
  | { readonly type: 'leader'; readonly isVisible: boolean }

const VERSION = 1

/** A message as plain data, for `postMessage`. Errors travel as JSON. */
export function encodeTabMessage(message: TabMessage): JsonObject {
  if (!('message' in message)) return { ...message, v: VERSION }
  return { ...message, message: encodePayload(message.message), v: VERSION }
}

function encodePayload(message: CallMessage | TaskMessage): JsonObject {
  if (message.type === 'created') return { ...message, record: encodeTaskRecord(message.record) }
  if ('error' in message) return { ...message, error: encodeError(message.error) }
  if (message.type === 'settled' && 'error' in message.outcome) {
    return { ...message, outcome: { error: encodeError(message.outcome.error) } }
  }
  return { ...message }
}

function encodeError(error: Error): JsonObject {
  return isTaskError(error) ? error.toJSON() : { name: error.name, message: error.message }
}

/** The message, or undefined for what is none: another version's, or another script's on the same channel. */
export function decodeTabMessage(value: unknown): TabMessage | undefined {
  if (!isJsonObject(value) || value['v'] !== VERSION) return undefined
  const { type, callId, taskId, at } = value
  switch (type) {
    case 'sync-request':
      return typeof taskId === 'string' ? { type, taskId } : undefined
    case 'leader':
      return { type, isVisible: value['isVisible'] === true }
    case 'forgotten':
      return typeof at === 'number' ? { type, at, ...(typeof callId === 'string' && { callId }) } : undefined
    case 'task': {
      const message = decodeTaskMessage(value['message'])
      return message && typeof taskId === 'string' ? { type, taskId, message } : undefined
    }
    case 'call': {
      const message = decodeCallMessage(value['message'])
      return message && typeof callId === 'string' ? { type, callId, message } : undefined
    }
    default:
      return undefined
  }
}

function decodeTaskMessage(value: unknown): TaskMessage | undefined {
  if (!isJsonObject(value)) return undefined
  const { type, until, nextPollAt, earliestAt, failureCount, network, inputKey, isCancelling } = value
  switch (type) {
    case 'polling':
      return typeof until === 'number' ? { type, until } : undefined
    case 'ended':
      return { type, error: TaskError.fromJSON(value['error']) }
    case 'responded':
      return typeof inputKey === 'string' ? { type, inputKey } : undefined
    case 'cancelling':
      return { type, isCancelling: isCancelling === true }
  }
  if (typeof nextPollAt !== 'number') return undefined
  if (type === 'poll-aborted') return { type, nextPollAt }
  if (type === 'snapshot') {
    try {
      return { type, task: parseDetailedTask(value['task'], 'other'), nextPollAt }
    } catch {
      return undefined
    }
  }
  if (type !== 'poll-failed' || typeof earliestAt !== 'number' || typeof failureCount !== 'number') return undefined
  if (network !== 'retrying' && network !== 'paused') return undefined
  return { type, error: TaskError.fromJSON(value['error']), failureCount, network, earliestAt, nextPollAt }
}

function decodeCallMessage(value: unknown): CallMessage | undefined {
  if (!isJsonObject(value)) return undefined
  const { type, record, outcome } = value
  if (type === 'wanted') return { type }
  if (type === 'created') {
    const decoded = typeof record === 'string' ? decodeTaskRecord(record) : undefined
    return decoded && { type, record: decoded }
  }
  if (type !== 'settled' || !isJsonObject(outcome)) return undefined
  if ('error' in outcome) return { type, outcome: { error: TaskError.fromJSON(outcome['error']) } }
  const parsed = parseCallToolResult(outcome['result'])
  return 'result' in parsed ? { type, outcome: parsed } : undefined
}
