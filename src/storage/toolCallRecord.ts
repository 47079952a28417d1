import { isInputKey } from '../protocol/inputRequest.js'
import { isJsonObject } from '../protocol/json.js'
import { isTaskStatus, isTerminal, isTimestamp, pickTask, type Task, type TaskStatus } from '../protocol/task.js'
import { SESSION_PREFIX } from '../protocol/taskAddress.js'

/**
 * What is kept of a call, one storage item each: enough to take it up again, and nothing more. Never
 * arguments, results or tokens; of arguments a hash.
 */
export interface ToolCallRecord {
  readonly callId: string
  /** The tool's name. */
  readonly tool: string
  readonly key?: string
  /** Of the arguments of a call with a key, as `argumentsHash()` has it. */
  readonly argumentsHash?: string
  readonly endpoint: string
  readonly scope: string
  readonly era: 'modern' | 'legacy'
  /** When the call was made, ms since the epoch, by this browser's clock. */
  readonly startedAt: number
  /** Of an intent: the key under which the server knows whether the call has reached it. */
  readonly idempotencyKey?: string
  /** Absent in an intent: the `tools/call` is under way and its response has not arrived. */
  readonly task?: RecordedTask
  /** In place of a task: there is one, and only the tabs that follow it know its id. */
  readonly held?: 'working' | 'ended'
}

/** The part of a record that exists once the call has become a task. */
export interface RecordedTask {
  readonly taskId: string
  readonly status: TaskStatus
  /** When the task was received, ms since the epoch, by this browser's clock; its ttl counts from here. */
  readonly receivedAt: number
  readonly createdAt: string
  readonly lastUpdatedAt: string
  readonly ttlMs: number | null
  readonly pollIntervalMs?: number
  /** When the snapshot arrived, ms since the epoch. Absent while it is the one that the task was created with. */
  readonly snapshotAt?: number
  /** Before this time, ms since the epoch, the server does not want to be asked. */
  readonly nextPollAt?: number
  /** When that was noted, ms since the epoch: a clock that was ahead then gives itself away. */
  readonly notedAt?: number
  /** Keys of the input requests that were answered last. */
  readonly answered: readonly string[]
  /** Whether this browser has asked for cancellation. */
  readonly isCancelling: boolean
  /** The server does not know the task any more: since when, ms since the epoch, and how that was found out. */
  readonly lost?: { readonly at: number; readonly reason: 'ttl' | 'unknown-task' }
}

/**
 * As many of its answered input requests as a record names. A server shows those that it has not taken note of, and no
 * others.
 */
const MAX_ANSWERED = 512

/** What an ended task without a ttl, a lost one and a call without a response are kept for, in ms: a week. */
const KEEP_ENDED_MS = 7 * 24 * 60 * 60 * 1000

/**
 * How long past its ttl a task that was never seen to end is asked for, in ms: a day. The ttl may have been
 * prolonged, and the clock set; after that every server has dropped it.
 */
const ASK_PAST_TTL_MS = 24 * 60 * 60 * 1000

/** What a record is kept for, in ms, whose task id names a session: a day. Such an id is more than that of a task. */
const KEEP_SESSION_MS = 24 * 60 * 60 * 1000

/** Longer than any hash of ours: what another script has written must not make records large. */
const MAX_HASH_LENGTH = 64

const VERSION = 1

/** How a record of this version begins. */
const OWN_START = `{"v":${VERSION},`

export function encodeToolCallRecord(record: ToolCallRecord): string {
  return OWN_START + JSON.stringify(record).slice(1)
}

/** The record, or undefined where the text is none: written by somebody else, cut short, or by a later version. */
export function decodeToolCallRecord(text: string): ToolCallRecord | undefined {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isJsonObject(body) || body['v'] !== VERSION) return undefined
  const { callId, tool, key, endpoint, scope, era, startedAt } = body
  if (typeof callId !== 'string' || typeof tool !== 'string') return undefined
  if (typeof endpoint !== 'string' || typeof scope !== 'string' || typeof startedAt !== 'number') return undefined
  if (era !== 'modern' && era !== 'legacy') return undefined
  const task = decodeTask(body['task'])
  if (body['task'] !== undefined && task === undefined) return undefined
  const { held, idempotencyKey, argumentsHash } = body
  return {
    callId,
    tool,
    ...(typeof key === 'string' && { key }),
    ...(isArgumentsHash(argumentsHash) && { argumentsHash }),
    endpoint,
    scope,
    era,
    startedAt,
    ...(isIdempotencyKey(idempotencyKey) && { idempotencyKey }),
    ...(task !== undefined ? { task } : (held === 'working' || held === 'ended') && { held }),
  }
}

function isArgumentsHash(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_HASH_LENGTH
}

/** As long as servers take it. */
function isIdempotencyKey(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 16 && value.length <= 256
}

/** What may stand where other tabs and later visits read it, instead of a record whose task id names a session. */
export function heldRecord(text: string): string | undefined {
  const record = text.includes(`"${SESSION_PREFIX}`) ? decodeToolCallRecord(text) : undefined
  if (record?.task === undefined || !namesSession(record)) return undefined
  const { task, ...intent } = record
  return encodeToolCallRecord({ ...intent, held: isTaskOver(task) ? 'ended' : 'working' })
}

/** True for what {@link heldRecord} returns. */
export function isHeldRecord(text: string | null | undefined): boolean {
  return text?.includes('"held":') === true && decodeToolCallRecord(text)?.held !== undefined
}

function namesSession({ era, task }: ToolCallRecord): boolean {
  return era === 'legacy' && task?.taskId.startsWith(SESSION_PREFIX) === true
}

/**
 * True for the record that a later version of Taskwire has written of the call. What it says is not for this
 * version to read: it stands for a call that was made.
 */
export function isNewerRecord(text: unknown, callId: string): boolean {
  if (typeof text !== 'string' || text.startsWith(OWN_START)) return false
  try {
    const body: unknown = JSON.parse(text)
    return isJsonObject(body) && Number(body['v']) > VERSION && body['callId'] === callId
  } catch {
    return false
  }
}

function decodeTask(value: unknown): RecordedTask | undefined {
  if (!isJsonObject(value)) return undefined
  const { taskId, status, receivedAt, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs, nextPollAt, notedAt, answered } =
    value
  const { snapshotAt } = value
  if (typeof taskId !== 'string' || taskId === '' || !isTaskStatus(status)) return undefined
  if (typeof receivedAt !== 'number' || typeof createdAt !== 'string' || typeof lastUpdatedAt !== 'string')
    return undefined
  if (ttlMs !== null && typeof ttlMs !== 'number') return undefined
  const lost = decodeLost(value['lost'])
  return {
    taskId,
    status,
    receivedAt,
    createdAt: isTimestamp(createdAt) ? createdAt : '',
    lastUpdatedAt: isTimestamp(lastUpdatedAt) ? lastUpdatedAt : '',
    ttlMs,
    ...(typeof pollIntervalMs === 'number' && { pollIntervalMs }),
    ...(typeof snapshotAt === 'number' && { snapshotAt }),
    ...(typeof nextPollAt === 'number' && { nextPollAt }),
    ...(typeof notedAt === 'number' && { notedAt }),
    answered: withAnswered([], Array.isArray(answered) ? answered : []),
    isCancelling: value['isCancelling'] === true,
    ...(lost && { lost }),
  }
}

function decodeLost(value: unknown): RecordedTask['lost'] {
  if (!isJsonObject(value) || typeof value['at'] !== 'number') return undefined
  return { at: value['at'], reason: value['reason'] === 'ttl' ? 'ttl' : 'unknown-task' }
}

/** The part of a record that a snapshot fills. What the server says to the user, and beyond the protocol, stays out. */
export function recordSnapshot(task: Task): Pick<RecordedTask, keyof Task & keyof RecordedTask> {
  const { taskId, status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task
  return { taskId, status, createdAt, lastUpdatedAt, ttlMs, ...(pollIntervalMs !== undefined && { pollIntervalMs }) }
}

/** The snapshot that a record stands for, until the server has sent a newer one. */
export function recordedTask(task: RecordedTask): Task {
  return pickTask(task)
}

/** The longest wait, in ms, that a server or a record is believed to ask for: anything longer is a mistake. */
export const LONGEST_WAIT_MS: number = 24 * 60 * 60 * 1000

/** When a recorded task may be polled, by a clock that may have been ahead when that was noted; at once if it was not. */
export function resumeAt({ nextPollAt, notedAt }: Partial<RecordedTask>, now: number): number {
  if (nextPollAt === undefined) return now
  return Math.min(nextPollAt - Math.max(0, (notedAt ?? now) - now), now + LONGEST_WAIT_MS)
}

/**
 * What two tabs know of one call, in one record: the newer one, with the responses of both, and with an
 * end that either has seen. A stored record of another task has been replaced.
 */
export function mergeToolCallRecords(stored: ToolCallRecord | undefined, next: ToolCallRecord): ToolCallRecord {
  if (stored?.task === undefined || next.task === undefined || stored.task.taskId !== next.task.taskId) return next
  const answered = withAnswered(stored.task.answered, next.task.answered)
  const { snapshotAt } = stored.task
  const snapshot = isNewer(stored.task, next.task)
    ? { ...recordSnapshot(stored.task), ...(snapshotAt !== undefined && { snapshotAt }) }
    : {}
  const { lost = stored.task.lost, ...known } = { ...next.task, ...snapshot }
  const isLost = lost !== undefined && !isTerminal(known.status)
  const { argumentsHash = stored.argumentsHash } = next
  const hashed = argumentsHash !== undefined && { argumentsHash }
  return {
    ...next,
    ...hashed,
    task: { ...known, ...laterPoll(stored.task, next.task), answered, ...(isLost && { lost }) },
  }
}

/** The keys of both, each once, the newest of them. What is added may come from another tab. */
export function withAnswered(known: readonly string[], added: readonly unknown[]): string[] {
  return [...new Set([...known, ...added.filter(isInputKey)])].slice(-MAX_ANSWERED)
}

/**
 * The later of two times: the tab that noted the earlier one may have slept through the last response. By the clock of
 * the later record, which may have been set back since.
 */
function laterPoll(stored: RecordedTask, next: RecordedTask): Pick<RecordedTask, 'nextPollAt'> {
  const { notedAt } = next
  const times = [stored, next].flatMap((task) => {
    if (task.nextPollAt === undefined) return []
    return notedAt === undefined ? task.nextPollAt : resumeAt(task, notedAt)
  })
  return times.length === 0 ? {} : { nextPollAt: Math.max(...times) }
}

/**
 * Terminal wins, then what arrived later: the server's stamps count only where that is not known. An arrival later
 * than the record is written was noted before the clock was set back.
 */
function isNewer(stored: RecordedTask, next: RecordedTask): boolean {
  if (isTerminal(stored.status) !== isTerminal(next.status)) return isTerminal(stored.status)
  const { snapshotAt = 0 } = stored
  if (snapshotAt > (next.notedAt ?? snapshotAt)) return false
  if (snapshotAt !== (next.snapshotAt ?? 0)) return snapshotAt > (next.snapshotAt ?? 0)
  return Date.parse(stored.lastUpdatedAt) > Date.parse(next.lastUpdatedAt)
}

/**
 * Whether the stored record is of the same call made anew, by another tab:
 *
 * ```text
 * tab A  follows task 1 ──────────────────── writes what it knows of task 1: not over task 2
 * tab B        calls anew: intent ── task 2
 * ```
 */
export function isSuccessor(stored: ToolCallRecord | undefined, record: ToolCallRecord): boolean {
  if (stored === undefined) return false
  // An intent may be the one that led to this task, which then could not be written.
  if (stored.task === undefined) return stored.startedAt > record.startedAt
  return stored.task.taskId !== record.task?.taskId
}

/** Whether there is nothing left to be done for the task: it has ended, or the server has lost it. */
export function isTaskOver({ status, lost }: RecordedTask): boolean {
  return isTerminal(status) || lost !== undefined
}

/** True for the record of a task for which nothing is left to be done. */
export function isEnded({ task }: ToolCallRecord): boolean {
  return task !== undefined && isTaskOver(task)
}

/** Whether a record is past its use: the server has dropped the task, or it ended long ago. */
export function isRecordExpired(record: ToolCallRecord, now: number): boolean {
  const { task, held, startedAt } = record
  if (held !== undefined || namesSession(record)) {
    if (now >= (task?.receivedAt ?? startedAt) + KEEP_SESSION_MS) return true
  }
  if (task === undefined) return now >= startedAt + KEEP_ENDED_MS
  if (task.lost !== undefined) return now >= task.lost.at + KEEP_ENDED_MS
  if (task.ttlMs !== null) return now >= task.receivedAt + task.ttlMs + (isTerminal(task.status) ? 0 : ASK_PAST_TTL_MS)
  return isTerminal(task.status) && now >= task.receivedAt + KEEP_ENDED_MS
}
