import { isJsonObject, parseJson } from '../protocol/json.js'
import { isTerminal } from '../protocol/task.js'
import { SESSION_PREFIX } from '../protocol/taskAddress.js'
import { decodeCallRecord, encodeCallRecord, VERSION } from './codec.js'
import { ASK_PAST_TTL_MS, isPastTtl } from './learn.js'
import { type CallRecord, isOver, type TaskRecord } from './record.js'

/** What an ended task without a ttl, a lost one and a call without a response are kept for, in ms: a week. */
export const KEEP_ENDED_MS: number = 7 * 24 * 60 * 60 * 1000

/** What a record is kept for, in ms, whose task id names a session: a day. Such an id is more than that of a task. */
const KEEP_SESSION_MS = 24 * 60 * 60 * 1000

/** What may stand where other tabs and later visits read it, instead of a record whose task id names a session. */
export function heldRecord(text: string): string | undefined {
  const record = text.includes(`"${SESSION_PREFIX}`) ? decodeCallRecord(text, Number.MAX_SAFE_INTEGER) : undefined
  if (record?.task === undefined || !namesSession(record)) return undefined
  return encodeCallRecord({ ...record, task: undefined, held: isOver(record.task) ? 'ended' : 'working' })
}

/** True for what {@link heldRecord} returns. */
export function isHeldRecord(text: string | null | undefined): boolean {
  return text?.includes('"held":') === true && decodeCallRecord(text, 0)?.held !== undefined
}

/** True where both are records, and the one call was not made after the other. */
export function isSameStart(a: string, b: string): boolean {
  const startedAt = decodeCallRecord(a, 0)?.startedAt
  return startedAt !== undefined && startedAt === decodeCallRecord(b, 0)?.startedAt
}

/** True if the task id of the record names a session. */
export function namesSession({ task }: CallRecord): boolean {
  return task?.era === 'legacy' && task.task.taskId.startsWith(SESSION_PREFIX)
}

/**
 * True for the record that a later version of Taskwire has written of the call. What it says is not for this
 * version to read: it stands for a call that was made.
 */
export function isNewerRecord(text: unknown, callId: string): boolean {
  const body = parseJson(String(text))
  return isJsonObject(body) && Number(body['v']) > VERSION && body['callId'] === callId
}

/** True where the server has prolonged the ttl of a task at work: by the ttl before, its record would be past its use too early. */
export function isProlonged({ task, receivedAt, end }: TaskRecord, before: TaskRecord): boolean {
  const { ttlMs } = before.task
  return end === undefined && ttlMs !== null && !isPastTtl(task, receivedAt, before.receivedAt + ttlMs)
}

/** Whether a record is past its use: the server has dropped the task, or it ended long ago. */
export function isRecordExpired(record: CallRecord, now: number): boolean {
  const { task: known, held, startedAt, keepResult } = record
  if (held !== undefined || namesSession(record)) {
    if (now >= (known?.receivedAt ?? startedAt) + KEEP_SESSION_MS) return true
  }
  if (known === undefined) return now >= startedAt + KEEP_ENDED_MS
  const { task, lost, receivedAt, snapshotAt } = known
  const isEnded = isTerminal(task.status)
  if (lost !== undefined && !isEnded) return now >= lost.at + KEEP_ENDED_MS
  // A result that is kept outlives the ttl.
  if (task.ttlMs !== null && !(isEnded && keepResult))
    return now >= receivedAt + task.ttlMs + (isEnded ? 0 : ASK_PAST_TTL_MS)
  // From its end on, as far as this browser knows: it may have run for weeks.
  return isEnded && now >= Math.max(receivedAt, snapshotAt) + KEEP_ENDED_MS
}
