import { noteForgottenNow } from './forgotten.js'
import { dropCall } from './pageCalls.js'
import { now, type Run } from './run.js'
import { recordOfEnded, recordOfEntry } from './showing.js'

/*
 * What forgets calls. What keeps their records from coming back: see forgotten.ts.
 */

/** Forgets a call, here and in every tab. */
export async function forgetCall(run: Run, callId: string): Promise<void> {
  const at = noteForgottenNow(run, callId)
  const tell = () => run.tabs.postForgotten(at, callId)
  await forgetEverywhere(run, at, tell, () => {
    dropCall(run, callId)
    run.onForgotten(callId)
    return run.records.remove(callId)
  })
}

/** Forgets all calls of a scope, here and in every tab. */
export async function forgetAll(run: Run, scope: string = run.owner.scope): Promise<void> {
  const { records } = run
  const isOwn = scope === run.owner.scope
  const at = isOwn ? noteForgottenNow(run) : run.environment.now()
  const tell = () => run.tabs.postForgotten(at, undefined, scope)
  await forgetEverywhere(run, at, tell, () => {
    const own = isOwn ? [...run.calls.keys()] : []
    for (const callId of own) dropCall(run, callId)
    if (isOwn) run.onForgotten(undefined)
    // Each of them as well: a record may still be on its way into a storage that takes its time.
    return Promise.all([records.clear(scope), ...own.map((callId) => records.remove(callId))])
  })
}

async function forgetEverywhere(
  run: Run,
  at: number,
  tell: () => void,
  forgetHere: () => Promise<unknown>,
): Promise<void> {
  tell()
  await forgetHere()
  // The storage took its time: a tab that was opened meanwhile has missed the message, and may have read a record.
  if (at < run.environment.now()) tell()
}

/** How far ahead of the clock a call may be started, in ms: each that is forgotten in the same millisecond adds one. */
const AHEAD_MS = 100

/**
 * Drops a call that was forgotten elsewhere at `at`, ms since the epoch. What this page may have written since goes as well,
 * but not what belongs to a call made since.
 */
export function dropForgotten(run: Run, callId: string, at: number = Number.POSITIVE_INFINITY): void {
  const entry = run.calls.get(callId)
  if (entry === undefined) return
  const record = recordOfEnded(entry) ?? recordOfEntry(run, entry)
  const { startedAt, task } = record
  const time = now(run)
  // A `startedAt` in the future was recorded before the clock was set back: then the times of the task say it, which are moved with the
  // clock. If `at` is in the future, too, both are of the same clock.
  const isOfThisClock = startedAt <= time + AHEAD_MS || at > time
  const since = isOfThisClock ? startedAt : (task?.receivedAt ?? startedAt)
  if (since > at && (isOfThisClock || since <= time)) return
  dropCall(run, callId)
  // By a clock that was set back since, what was called since may seem to be older than the task.
  void run.records.remove(callId, task === undefined ? record : { ...record, startedAt: Math.min(startedAt, at) })
}
