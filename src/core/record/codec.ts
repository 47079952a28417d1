import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { isTerminal, parseTask } from '../protocol/task.js'
import { LONGEST_WAIT_MS } from '../time/policy.js'
import { POLLING_MS } from './decide.js'
import { withAnswered } from './merge.js'
import {
  type CallRecord,
  NOTHING_HERE,
  newTaskRecord,
  setBack,
  type TaskRecord,
  type TimeName,
  timesOf,
} from './record.js'

/**
 * Of records and of what tabs tell each other. A page leaves a record of a later version alone (`isNewerRecord`), and does not hear a tab of
 * another one. A release that raises it must also read the records of the version before. Otherwise it would not find the calls that
 * run while the app is updated, and would make them again.
 */
export const VERSION = 1

/** The text of a record: enough to take the call up again. Never arguments, results, tokens, or what the server says to people. */
export function encodeCallRecord(record: CallRecord): string {
  return JSON.stringify(keptMembers(record))
}

/**
 * As many answered input requests as a record names, the newest: a server shows those that it has not noted, and no others.
 */
const MAX_ANSWERED = 512

/**
 * The members that are kept. What is undefined is left out by `JSON.stringify`. `nextPollAt` is `earliestAt`, `isCancelling` is
 * `cancelling.isWanted`: records of earlier versions have these names.
 */
export function keptMembers({ task, idempotencyKey, held, ...call }: CallRecord): JsonObject {
  const identity = { v: VERSION, ...call, era: task?.era ?? 'modern' }
  if (task === undefined) return { ...identity, idempotencyKey, held }
  const { taskId, status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task.task
  const { receivedAt, earliestAt, notedAt, snapshotAt, answered, cancelling, lost } = task
  return {
    ...identity,
    task: {
      receivedAt,
      nextPollAt: earliestAt,
      notedAt,
      answered: answered.slice(-MAX_ANSWERED),
      isCancelling: cancelling.isWanted,
      cancelNotedAt: cancelling.at || undefined,
      isCancelTaken: cancelling.isTaken || undefined,
      taskId,
      status,
      createdAt,
      lastUpdatedAt,
      ttlMs,
      pollIntervalMs,
      sentAt: task.sentAt || undefined,
      snapshotAt: snapshotAt || undefined,
      lost: isTerminal(status) ? undefined : lost,
    },
  }
}

/** The record that a text is, or undefined where it is none: another's, cut short, or of a later version. */
export function decodeCallRecord(text: string, now: number): CallRecord | undefined {
  try {
    return readCallRecord(JSON.parse(text), now)
  } catch {
    return undefined
  }
}

export type Members = Readonly<Record<string, (value: unknown) => boolean>>

/** What every record has. */
const NEEDED: Members = {
  callId: isText,
  tool: isText,
  endpoint: isText,
  scope: isText,
  // A call made in the millisecond in which another one was forgotten starts later than that.
  startedAt: isTime,
  era: (value) => value === 'modern' || value === 'legacy',
}

/** What a record may have. Another script can write one: what is of another kind, or makes records large, counts as absent. */
const OPTIONAL: Members = {
  key: isText,
  // Longer than any hash of ours.
  argumentsHash: (value) => isText(value) && value.length <= 64,
  meta: (value) => isJsonObject(value) && JSON.stringify(value).length <= MAX_META_LENGTH,
  keepResult: isCount,
  startedFor: (value) => isText(value) && value.length <= 128,
  // As long as servers take it.
  idempotencyKey: (value) => isText(value) && value.length >= 16 && value.length <= 256,
  held: (value) => value === 'working' || value === 'ended',
  isCancelled: (value) => value === true,
}

/** An app notes no more than so many characters. */
export const MAX_META_LENGTH = 1024

export function hasMembers(body: JsonObject, members: Members): boolean {
  return Object.entries(members).every(([name, isRight]) => isRight(body[name]))
}

/** Reads what a task of its kind of record has beyond the members of every one. Throws where that is none. */
export type ReadTask = (record: TaskRecord, body: JsonObject) => TaskRecord

/** A record that was kept has nothing more. */
const readKept: ReadTask = (record) => record

/**
 * The record that another tab or an earlier visit has left, with its times by the clock of now: a clock may have been
 * ahead when they were noted. Any script of the origin can send one, so it puts no poll off for longer than a server may ask
 * for. Undefined if it is not a record, or one of another version.
 */
export function readCallRecord(body: unknown, now: number, read: ReadTask = readKept): CallRecord | undefined {
  if (!isJsonObject(body) || body['v'] !== VERSION || !hasMembers(body, NEEDED)) return undefined
  const task = readTaskRecord(body['task'], body['era'] as TaskRecord['era'], now, read)
  if (body['task'] !== undefined && task === undefined) return undefined
  const { callId, tool, endpoint, scope, startedAt } = body
  const call: Record<string, unknown> = { callId, tool, endpoint, scope, startedAt, task }
  for (const [name, isRight] of Object.entries(OPTIONAL)) call[name] = isRight(body[name]) ? body[name] : undefined
  if (task !== undefined) call['held'] = undefined
  return call as unknown as CallRecord
}

function readTaskRecord(body: unknown, era: TaskRecord['era'], now: number, read: ReadTask): TaskRecord | undefined {
  if (!isJsonObject(body) || !isTime(body['receivedAt']) || !isReadableTtl(body['ttlMs'])) return undefined
  if (!isText(body['createdAt']) || !isText(body['lastUpdatedAt'])) return undefined
  const { receivedAt, snapshotAt = 0 } = body
  const heardAt = isTime(snapshotAt) ? Math.max(receivedAt, snapshotAt) : receivedAt
  const otherwise: Partial<Record<TimeName, number>> = { notedAt: receivedAt, heardAt }
  const times = timesOf((name) => {
    const { [name === 'earliestAt' ? 'nextPollAt' : name]: time = otherwise[name] ?? 0 } = body
    return time
  })
  if (!hasTimes(times)) return undefined
  try {
    const record: TaskRecord = {
      ...newTaskRecord(parseTask(body, 'other'), era, now, 0),
      ...times,
      answered: withAnswered([], Array.isArray(body['answered']) ? body['answered'].slice(-MAX_ANSWERED) : []),
      cancelling: readCancelling(body, times.notedAt),
      lost: readLost(body['lost']),
    }
    return byClock(read(record, body), now)
  } catch {
    return undefined
  }
}

function isReadableTtl(value: unknown): boolean {
  return value === null || typeof value === 'number'
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** JSON has a number that is read as Infinity: 1e999. */
export function isTime(value: unknown): value is number {
  return Number.isFinite(value)
}

function hasTimes<N extends string>(times: Record<N, unknown>): times is Record<N, number> {
  return Object.values(times).every(isTime)
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function readCancelling(
  { isCancelling, cancelNotedAt, isCancelTaken }: JsonObject,
  notedAt: number,
): TaskRecord['cancelling'] {
  const isWanted = isCancelling === true
  const at = isTime(cancelNotedAt) ? cancelNotedAt : isWanted ? notedAt : 0
  return { at, isWanted, isTaken: isWanted && isCancelTaken === true }
}

function readLost(value: unknown): TaskRecord['lost'] {
  if (!isJsonObject(value) || !isTime(value['at'])) return undefined
  return { at: value['at'], reason: value['reason'] === 'ttl' ? 'ttl' : 'unknown-task' }
}

/** How far ahead of the clock a time may lie, in ms; the others are past. A poll is announced again and again while it is under way. */
const AHEAD_MS: Partial<Record<TimeName, number>> = {
  earliestAt: LONGEST_WAIT_MS,
  retryAt: LONGEST_WAIT_MS,
  quietUntil: LONGEST_WAIT_MS,
  pollingUntil: POLLING_MS,
}

const AHEAD: TaskRecord['here'] = { ...NOTHING_HERE, wasAhead: true }

/** A record that was noted later than now was noted before the clock was set back. */
export function byClock(record: TaskRecord, now: number): TaskRecord {
  const by = record.notedAt - now
  const own = by > 0 ? { ...setBack(record, by), here: AHEAD } : record
  return { ...own, ...timesOf((name) => Math.min(own[name], now + (AHEAD_MS[name] ?? 0))) }
}
