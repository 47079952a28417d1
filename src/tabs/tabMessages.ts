import type { CallMessage } from '../engine/callTabs.js'
import type { TaskNews } from '../engine/tabLink.js'
import { parseCallToolResult } from '../protocol/callToolResult.js'
import { isTaskError, TaskError } from '../protocol/errors.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { parseDetailedTask } from '../protocol/task.js'
import { decodeTaskRecord, encodeTaskRecord } from '../storage/taskRecord.js'

/** What tabs say to each other. */
export type TabMessage =
  | { readonly type: 'news'; readonly taskId: string; readonly news: TaskNews }
  | { readonly type: 'call'; readonly callId: string; readonly message: CallMessage }
  /** A call was forgotten; without a `callId`, every one was. What was started after `at`, ms since the epoch, was not. */
  | { readonly type: 'forgotten'; readonly callId?: string; readonly at: number }
  /** The one who leads, and whether its page can be seen. */
  | { readonly type: 'leader'; readonly isVisible: boolean }
  /** Asks the one who leads to say so, and everyone for the latest news of a task. */
  | { readonly type: 'who'; readonly taskId: string }

const VERSION = 1

/** A message as plain data, for `postMessage`. Errors travel as JSON. */
export function encodeTabMessage(message: TabMessage): JsonObject {
  return { ...message, ...encodePayload(message), v: VERSION }
}

function encodePayload(message: TabMessage): JsonObject {
  if (message.type === 'news' && 'error' in message.news) {
    return { news: { ...message.news, error: encodeError(message.news.error) } }
  }
  if (message.type !== 'call') return {}
  const { message: inner } = message
  if (inner.type === 'created') return { message: { type: inner.type, record: encodeTaskRecord(inner.record) } }
  if (inner.type === 'settled' && 'error' in inner.outcome) {
    return { message: { type: inner.type, outcome: { error: encodeError(inner.outcome.error) } } }
  }
  return {}
}

function encodeError(error: Error): JsonObject {
  return isTaskError(error) ? error.toJSON() : { name: error.name, message: error.message }
}

/** The message, or undefined for what is none: another version's, or another script's on the same channel. */
export function decodeTabMessage(value: unknown): TabMessage | undefined {
  if (!isJsonObject(value) || value['v'] !== VERSION) return undefined
  const { type, callId, taskId } = value
  switch (type) {
    case 'who':
      return typeof taskId === 'string' ? { type, taskId } : undefined
    case 'leader':
      return { type, isVisible: value['isVisible'] === true }
    case 'forgotten': {
      const { at } = value
      return typeof at === 'number' ? { type, at, ...(typeof callId === 'string' && { callId }) } : undefined
    }
    case 'news': {
      const news = decodeNews(value['news'])
      return news && typeof taskId === 'string' ? { type, taskId, news } : undefined
    }
    case 'call': {
      const message = decodeCallMessage(value['message'])
      return message && typeof callId === 'string' ? { type, callId, message } : undefined
    }
    default:
      return undefined
  }
}

function decodeNews(value: unknown): TaskNews | undefined {
  if (!isJsonObject(value)) return undefined
  const { type, until, nextPollAt, notBefore, failureCount, network } = value
  if (type === 'polling') return typeof until === 'number' ? { type, until } : undefined
  if (type === 'ended') return { type, error: TaskError.fromJSON(value['error']) }
  if (typeof nextPollAt !== 'number') return undefined
  if (type === 'dropped') return { type, nextPollAt }
  if (type === 'snapshot') {
    try {
      return { type, task: parseDetailedTask(value['task'], 'other'), nextPollAt }
    } catch {
      return undefined
    }
  }
  if (type !== 'poll-failed' || typeof notBefore !== 'number' || typeof failureCount !== 'number') return undefined
  if (network !== 'retrying' && network !== 'paused') return undefined
  return { type, error: TaskError.fromJSON(value['error']), failureCount, network, notBefore, nextPollAt }
}

function decodeCallMessage(value: unknown): CallMessage | undefined {
  if (!isJsonObject(value)) return undefined
  const { type, record, outcome, taskId, inputKey, isCancelling } = value
  if (type === 'wanted') return { type }
  if (type === 'cancelling' && typeof taskId === 'string') return { type, taskId, isCancelling: isCancelling === true }
  if (type === 'answered' && typeof taskId === 'string' && typeof inputKey === 'string')
    return { type, taskId, inputKey }
  if (type === 'created') {
    const decoded = typeof record === 'string' ? decodeTaskRecord(record) : undefined
    return decoded && { type, record: decoded }
  }
  if (type !== 'settled' || !isJsonObject(outcome)) return undefined
  if ('error' in outcome) return { type, outcome: { error: TaskError.fromJSON(outcome['error']) } }
  const parsed = parseCallToolResult(outcome['result'])
  return 'result' in parsed ? { type, outcome: parsed } : undefined
}
