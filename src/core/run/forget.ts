import { namesSession } from '../record/keep.js'
import { AHEAD_MS, forgottenBy, isForgotten, noteForgottenNow } from './forgottenTimes.js'
import { dropCall } from './pageCalls.js'
import { now, type Run } from './run.js'
import { recordOfEnded, recordOfEntry } from './showing.js'

/*
 * What forgets calls. What keeps their records from coming back: see forgottenTimes.ts.
 */

/** Forgets a call, or without a `callId` all of the scope, here and in every tab. */
export async function forget(run: Run, callId: string | undefined, scope: string = run.owner.scope): Promise<void> {
  const { records, tabs } = run
  const isOwn = scope === run.owner.scope
  const at = isOwn ? noteForgottenNow(run, callId) : run.environment.now()
  tabs.postForgotten(at, callId, scope)
  const own = callId !== undefined ? [callId] : isOwn ? [...run.calls.keys()] : []
  for (const id of own) dropCall(run, id)
  if (isOwn) run.onForgotten(callId)
  // Each of them as well: a record may still be on its way into a storage that takes its time.
  await Promise.all([callId === undefined && records.clear(scope), ...own.map((id) => records.remove(id))])
  // The storage took its time: a tab that was opened meanwhile has missed the message, and may have read a record.
  if (at < run.environment.now()) tabs.postForgotten(at, callId, scope)
}

/**
 * Drops a call that was forgotten elsewhere at `at`, ms since the epoch. What this page may have written since goes as well,
 * but not what belongs to a call made since. `postedAt`: see the message.
 */
export function dropForgotten(
  run: Run,
  callId: string,
  at: number = Number.POSITIVE_INFINITY,
  postedAt: number = at,
): void {
  const entry = run.calls.get(callId)
  if (entry === undefined) return
  const record = recordOfEnded(entry) ?? recordOfEntry(run, entry)
  const { startedAt, task } = record
  const time = now(run)
  // A `startedAt` in the future was recorded before the clock was set back: then the times of the task say it, which are moved with the
  // clock. If `at` is in the future, too, both are of the same clock.
  const isOfThisClock = startedAt <= time + AHEAD_MS || at > time
  const since = isOfThisClock ? startedAt : (task?.receivedAt ?? startedAt)
  const until = startedAt <= time + AHEAD_MS ? forgottenBy(at, postedAt) : at
  if (since > until && (isOfThisClock || since <= time)) return
  dropCall(run, callId)
  // Only what this page was the first to write can have come back, and not where it was called since the clock was set back from then.
  const isSince = startedAt >= run.setBackTo && startedAt <= time && postedAt > time + AHEAD_MS && Number.isFinite(at)
  const wasFirstToWrite = entry.started !== undefined
  // That of a task whose id names a session is in the storage of this tab, whichever page of it has written it.
  if ((!wasFirstToWrite && !namesSession(record)) || isSince) return
  // By a clock that was set back since, what was called since may seem to be older than the task.
  void run.records.remove(callId, task === undefined ? record : { ...record, startedAt: Math.min(startedAt, at) })
}

/** Removes the records of forgotten calls from a storage of this tab alone, which the tab that forgot them does not reach. */
export async function removeForgotten(run: Run): Promise<void> {
  const found = await run.records.list()
  for (const record of found === 'silent' ? [] : found) {
    if (isForgotten(run, record.callId, record.startedAt)) void run.records.remove(record.callId, record)
  }
}
