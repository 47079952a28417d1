import { TaskConfigurationError } from '../protocol/errors.js'
import { inTime } from '../storage/inTime.js'
import { createKeyedQueue } from '../storage/keyedQueue.js'
import { createScheduler } from '../time/scheduler.js'
import { createSemaphore } from '../time/semaphore.js'
import type { TaskEntry } from './entries.js'
import { forget } from './forgotten.js'
import { type CallHandle, createHandle } from './handle.js'
import { wake } from './looking.js'
import { setAllBack, watchPage, writeAll } from './page.js'
import { dropCall, leaveCall } from './pageCalls.js'
import { addPoll } from './polls.js'
import { type CallsOptions, now, type Run, type RunEvents, take } from './run.js'
import { endTask } from './settle.js'
import { tell } from './showing.js'
import { openRecorded } from './startOrResume.js'

/** How many `tasks/update` may be under way at once: the connections that a browser opens to one origin over HTTP/1.1. */
const MAX_UPDATES = 6

const EVENTS: RunEvents = { setBack: setAllBack, first: watchPage, due: addPoll, end: endTask }

/** The calls of this page, of which there is none yet. */
export function createRun(options: CallsOptions): Run {
  const { environment } = options
  const run: Run = {
    ...options,
    calls: new Map(),
    tasks: new Map(),
    scheduler: createScheduler<TaskEntry>(
      { now: () => now(run), setTimeout: environment.setTimeout, clearTimeout: environment.clearTimeout },
      (task, lateMs) => take(run, () => wake(run, task, lateMs)),
    ),
    closing: new AbortController(),
    queue: [],
    isTaking: false,
    lastNow: environment.now(),
    pollsInLine: new Set(),
    polledElsewhere: new Set(),
    pollsUnderWay: new Map(),
    push: undefined,
    unwatch: undefined,
    forgotten: new Map(),
    lastForgottenAt: 0,
    ended: { keyed: new Set(), unkeyed: new Set(), recorded: new Set() },
    wantedRecords: new Map(),
    updatesInLine: createSemaphore(MAX_UPDATES),
    inTurn: createKeyedQueue(),
    on: EVENTS,
  }
  return run
}

/** A handle on a call that this page knows. An outcome is fetched only while something waits for it. */
export function handleOf(run: Run, callId: string): CallHandle | undefined {
  const entry = run.calls.get(callId)
  if (entry === undefined) return undefined
  const { stage } = entry.call
  return stage.name === 'recorded'
    ? createHandle(run, openRecorded(run, stage.record))
    : createHandle(run, entry, false)
}

/** Another tab is there: tells it what this one has learned while it knew of none. */
export function tellPeer(run: Run): void {
  for (const task of run.tasks.values()) if (task.election?.isLeader()) tell(run, task)
}

/** Forgets a call, here and in every tab. */
export async function forgetCall(run: Run, callId: string): Promise<void> {
  const at = forget(run, callId)
  run.tabs.postForgotten(at, callId)
  dropCall(run, callId)
  run.onForgotten(callId)
  await run.records.remove(callId)
  // The storage took its time: a tab that was opened meanwhile has missed the message, and may have read the record.
  if (at < run.environment.now()) run.tabs.postForgotten(at, callId)
}

/** Forgets all calls of a scope, here and in every tab. */
export async function forgetAll(run: Run, scope: string = run.owner.scope): Promise<void> {
  const { records, tabs } = run
  const isOwn = scope === run.owner.scope
  const at = isOwn ? forget(run) : run.environment.now()
  tabs.postForgotten(at, undefined, scope)
  const own = isOwn ? [...run.calls.keys()] : []
  for (const callId of own) dropCall(run, callId)
  if (isOwn) run.onForgotten(undefined)
  // Each of them as well: a record may still be on its way into a storage that takes its time.
  await Promise.all([records.clear(scope), ...own.map((callId) => records.remove(callId))])
  if (at < run.environment.now()) tabs.postForgotten(at, undefined, scope)
}

/** Leaves all calls. Resolves when what is known is written down, or the storage has not answered in time. */
export async function closeRun(run: Run): Promise<void> {
  run.closing.abort(new TaskConfigurationError('This task client is closed. Create a new one with createTaskClient().'))
  const written = writeAll(run)
  const callIds = [...run.calls.keys()]
  for (const callId of callIds) leaveCall(run, callId, 'The task client was closed; its tasks keep running.')
  run.scheduler.close()
  run.push?.close()
  run.tabs.close()
  // A write may stand in line behind others, each of which the storage has as long to answer.
  await inTime(Promise.all(written), run.environment).catch(() => {})
  for (const callId of callIds) run.store.removeCall(callId)
}
