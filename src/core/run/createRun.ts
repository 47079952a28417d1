import { TaskConfigurationError } from '../protocol/errors.js'
import { inTime } from '../storage/inTime.js'
import { createKeyedQueue } from '../storage/keyedQueue.js'
import { createScheduler } from '../time/scheduler.js'
import { createSemaphore } from '../time/semaphore.js'
import type { TaskEntry } from './entries.js'
import { wake } from './looking.js'
import { setAllBack, watchPage, writeAll } from './page.js'
import { leaveCall } from './pageCalls.js'
import { addPoll } from './polls.js'
import { type CallsOptions, now, type Run, type RunEvents, take } from './run.js'
import { endTask } from './settle.js'

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
    setBackTo: Number.POSITIVE_INFINITY,
    setBackBy: 0,
    pollsInLine: new Set(),
    polledElsewhere: new Set(),
    pollsUnderWay: new Map(),
    push: undefined,
    unwatch: undefined,
    forgotten: new Map(),
    lastForgottenAt: 0,
    ended: { keyed: new Set(), unkeyed: new Set(), recorded: new Set() },
    wantedRecords: new Set(),
    onSignedIn: new Set(),
    updatesInLine: createSemaphore(MAX_UPDATES),
    inTurn: createKeyedQueue(),
    on: EVENTS,
  }
  return run
}

/** Leaves all calls. Resolves when what is known is written down, or the storage has not answered in time. */
export async function closeRun(run: Run): Promise<void> {
  run.closing.abort(new TaskConfigurationError('This task client is closed. Create a new one with createTaskClient().'))
  for (const takeRecord of run.wantedRecords) takeRecord()
  const written = writeAll(run)
  const callIds = [...run.calls.keys()]
  for (const callId of callIds) leaveCall(run, callId, 'The task client was closed; its tasks keep running.')
  run.scheduler.close()
  run.push?.close()
  run.tabs.close()
  // A write may stand in line behind others, each of which the storage has as long to answer.
  await inTime(Promise.all(written), run.environment).catch(() => {})
  // The store has the status `closed` by now, so its listeners do not take these calls for forgotten.
  for (const callId of callIds) run.store.removeCall(callId)
}
