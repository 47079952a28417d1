import { nextPoll } from '../core/record/decide.js'
import { failed } from '../core/record/failed.js'
import { learn } from '../core/record/learn.js'
import { newTaskRecord } from '../core/record/record.js'
import { taskOutcome } from '../core/record/taskOutcome.js'
import { watchClock } from '../core/time/clock.js'
import { deliver } from '../core/time/retry.js'
import { getTask } from '../core/wire/modern/tasks.js'
import { sessionHeaders } from './legacy/session.js'
import { signedOutError } from './signIn/signedOut.js'
import { TaskTransport } from './transport/taskTransport.js'

/** What parts that are loaded later share with the first load, one name of each module. */
const SHARED: readonly unknown[] = [
  deliver,
  failed,
  getTask,
  learn,
  newTaskRecord,
  nextPoll,
  sessionHeaders,
  signedOutError,
  taskOutcome,
  TaskTransport,
  watchClock,
]

/**
 * Names what is in a page before a part that is loaded later. The first load calls this, and each of these parts does, so
 * that all share the same modules: Rolldown makes a chunk of each set of modules that the same parts share, and takes
 * only one of them into the first load. Several would be loaded beside it, and compress worse, by 2 kB (decision 124).
 */
export function usesFirstLoad(): readonly unknown[] {
  return SHARED
}
