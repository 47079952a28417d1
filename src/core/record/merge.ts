import { isInputKey } from '../protocol/inputRequest.js'
import { isEqual } from '../protocol/isEqual.js'
import { isSameTask, isTerminal, type Task } from '../protocol/task.js'
import type { CallRecord, TaskEnd, TaskRecord } from './record.js'

/**
 * What two sources know of one task: this page and another tab, a record and a page, two calls of the task. Each group of
 * members has its own order, so that the sources may arrive in any order and any number of times: but for what is of this page, `merge` is
 * associative, commutative and idempotent, and it never forgets an end, an answer, or a time before which the server does not want to be
 * asked.
 *
 * ```text
 * snapshot              a terminal one beats any other, then what arrived later, then what the server stamped later. What one page has
 *                       received, it has put in order by the stamps (snapshotOrder.ts)
 * poll                  of the poll that was sent later, what was noted later
 * earliestAt, sentAt,
 * heardAt, notedAt,
 * receivedAt,
 * believedFrom          the later of both
 * answered              the keys of both
 * cancelling, lost, end what was noted later; first; first, but how the server says it ended beats an error
 * era, here             of this page: not merged
 * ```
 */
export function merge(mine: TaskRecord, theirs: TaskRecord): TaskRecord {
  if (mine === theirs) return mine
  const snapshot = later(mine, theirs, snapshotRank)
  const poll = later(mine, theirs, pollRank)
  return {
    // What is the same keeps its reference, so that nothing renders.
    task: isSameTask(mine.task, snapshot.task) ? mine.task : snapshot.task,
    era: mine.era,
    receivedAt: Math.max(mine.receivedAt, theirs.receivedAt),
    snapshotAt: snapshot.snapshotAt,
    heardAt: Math.max(mine.heardAt, theirs.heardAt),
    earliestAt: Math.max(mine.earliestAt, theirs.earliestAt),
    sentAt: Math.max(mine.sentAt, theirs.sentAt),
    believedFrom: Math.max(mine.believedFrom, theirs.believedFrom),
    triedAt: poll.triedAt,
    pollingUntil: poll.pollingUntil,
    retryAt: poll.retryAt,
    quietUntil: poll.quietUntil,
    failure: isSameFailure(mine.failure, poll.failure) ? mine.failure : poll.failure,
    inputRequests: isEqual(mine.inputRequests, snapshot.inputRequests) ? mine.inputRequests : snapshot.inputRequests,
    answered: withAnswered(mine.answered, theirs.answered),
    idlePolls: snapshot.idlePolls,
    cancelling: later(mine.cancelling, theirs.cancelling, ({ at, isWanted, isTaken }) => [
      at,
      Number(isWanted),
      Number(isTaken),
    ]),
    lost: first(mine.lost, theirs.lost, ({ at, reason }) => [-at, reason]),
    end: first(mine.end, theirs.end, endRank),
    notedAt: Math.max(mine.notedAt, theirs.notedAt),
    here: mine.here,
  }
}

/** What a rank consists of, the most important first. What takes work is made only where all before it is equal. */
type Rank = readonly (number | string | (() => string))[]

function snapshotRank({ task, snapshotAt, inputRequests, idlePolls }: TaskRecord): Rank {
  const stamp = Date.parse(task.lastUpdatedAt)
  return [
    Number(isTerminal(task.status)),
    snapshotAt,
    Number.isNaN(stamp) ? 0 : stamp,
    // A record that was kept has less of the same snapshot than one that was told.
    Object.keys(task).length,
    Object.keys(inputRequests).length,
    idlePolls,
    () => JSON.stringify([task, inputRequests]),
  ]
}

function pollRank({ sentAt, triedAt, pollingUntil, retryAt, quietUntil, failure }: TaskRecord): Rank {
  const { count = 0, unreached = 0, violations = 0, refusals = 0 } = failure ?? {}
  // In the same millisecond a poll that is over was sent before.
  return [
    // First by the poll: that an earlier one was cut off says nothing of the one that cut it off.
    sentAt,
    triedAt,
    Number(pollingUntil === 0),
    retryAt,
    pollingUntil,
    quietUntil,
    count,
    unreached,
    violations,
    refusals,
    () => nameOf(failure),
  ]
}

/** True where both are failures, and the same one. */
function isSameFailure(a: TaskRecord['failure'], b: TaskRecord['failure']): boolean {
  if (a === undefined || b === undefined) return false
  return nameOf(a) === nameOf(b) && isEqual({ ...a, error: null }, { ...b, error: null })
}

function nameOf(failure: TaskRecord['failure']): string {
  return failure === undefined ? '' : `${failure.network} ${failure.error.name} ${failure.error.message}`
}

function endRank(end: TaskEnd): Rank {
  return [
    Number('task' in end),
    -end.at,
    () => ('task' in end ? JSON.stringify(end.task) : `${end.error.name} ${end.error.message}`),
  ]
}

/** That of higher rank; mine where both are equal. */
function later<T extends object>(mine: T, theirs: T, rankOf: (value: T) => Rank): T {
  const [a, b] = [rankOf(mine), rankOf(theirs)]
  for (const [index, part] of a.entries()) {
    const other = b[index] as typeof part
    const [own, its] = [worthOf(part), worthOf(other)]
    if (own > its) return mine
    if (own < its) return theirs
  }
  return mine
}

function worthOf(part: Rank[number]): number | string {
  return typeof part === 'function' ? part() : part
}

function first<T extends object>(
  mine: T | undefined,
  theirs: T | undefined,
  rankOf: (value: T) => Rank,
): T | undefined {
  if (mine === undefined || theirs === undefined) return mine ?? theirs
  return later(mine, theirs, rankOf)
}

/** The keys of both, each once. What is added may come from another tab. */
export function withAnswered(known: readonly string[], added: readonly unknown[]): readonly string[] {
  const keys = new Set(known)
  // Most are known, and so are valid.
  for (const key of added) if (!keys.has(key as string) && isInputKey(key)) keys.add(key)
  return keys.size === known.length ? known : [...keys]
}

/**
 * A server may give an id to another task after a restart. Of the same task it says the same `createdAt` each time, but
 * for servers of 2025-11-25, which may stamp a task with another one each time: there it says nothing.
 */
export function isAnotherTask({ task: known, era }: TaskRecord, next: Task): boolean {
  if (era === 'legacy') return false
  return Date.parse(next.createdAt) > Date.parse(known.lastUpdatedAt) && known.createdAt !== next.createdAt
}

/** True if these are two tasks under one id. Which of them the server has, the next poll says. */
export function areTwoTasks(a: TaskRecord, b: TaskRecord): boolean {
  return isAnotherTask(a, b.task) || isAnotherTask(b, a.task)
}

/** The record with what is noted of its task, and without a note of another task under the same id. */
export function mergeNote(record: TaskRecord, note: TaskRecord): TaskRecord {
  return areTwoTasks(record, note) ? record : merge(record, note)
}

/**
 * True where the server did not know an id that the app had named, and has made the other task under it since:
 *
 * ```text
 * tab A  tools/call ──────────────────── task 1 ─────── told: lost, asked before there was this task
 * tab B     follows task 1: tasks/get ── unknown ▪ tells
 * ```
 */
export function isLostBefore({ lost, task, sentAt }: TaskRecord, { receivedAt }: TaskRecord): boolean {
  return lost !== undefined && task.createdAt === '' && sentAt < receivedAt
}

/**
 * Whether the stored record is of the same call made anew, by another tab:
 *
 * ```text
 * tab A  follows task 1 ──────────────────── writes what it knows of task 1: not over task 2
 * tab B        calls anew: intent ── task 2 ───────────── writes the end of task 2, also over task 1
 * ```
 */
export function isSuccessor(stored: CallRecord | undefined, record: CallRecord): boolean {
  if (stored === undefined) return false
  const { task, startedAt } = record
  // An intent may be the one that led to this task, which then could not be written.
  if (stored.task === undefined) return stored.startedAt > startedAt
  if (stored.task.task.taskId === task?.task.taskId) return isAnotherTask(task, stored.task.task)
  return !isPredecessor(stored, record)
}

/**
 * True if the stored record has the task that this call had before it was started again, by the clocks of both the server and the browser.
 * With a slow storage, an old write of another tab may end last.
 */
export function isPredecessor(stored: CallRecord, { task, startedAt }: CallRecord): boolean {
  if (stored.task === undefined || task === undefined || stored.startedAt >= startedAt) return false
  return Date.parse(stored.task.task.createdAt) < Date.parse(task.task.createdAt)
}

/**
 * What storage and a page know of one call, in one record. A stored record of another task has been replaced. What the app has
 * noted with the call stays: a page that only resumes its task may not know that.
 */
export function mergeCalls(stored: CallRecord | undefined, next: CallRecord): CallRecord {
  if (stored?.task === undefined || next.task === undefined) return next
  if (stored.task.task.taskId !== next.task.task.taskId || isAnotherTask(stored.task, next.task.task)) return next
  const { argumentsHash = next.argumentsHash, meta = next.meta, keepResult = next.keepResult } = stored
  const { startedFor = next.startedFor } = stored
  const tool = next.tool || stored.tool
  return { ...next, tool, argumentsHash, meta, keepResult, startedFor, task: merge(next.task, stored.task) }
}
