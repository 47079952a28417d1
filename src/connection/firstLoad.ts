import { pollMessage } from '../call/pollSchedule.js'
import { deliver } from '../call/requests.js'
import { takeSnapshot } from '../call/snapshotOrder.js'
import { taskOutcome } from '../call/taskOutcome.js'
import { sessionHeaders } from './legacy/session.js'
import { getTask } from './modern/tasks.js'
import { TaskTransport } from './transport/taskTransport.js'

/** What parts that are loaded later share with the first load, one name of each module. */
const SHARED: readonly unknown[] = [
  deliver,
  getTask,
  pollMessage,
  sessionHeaders,
  takeSnapshot,
  taskOutcome,
  TaskTransport,
]

/**
 * Names what is in a page before a part that is loaded later. The first load calls this, and each of these parts does, so
 * that all share the same modules: Rolldown makes a chunk of each set of modules that the same parts share, and takes
 * only one of them into the first load. Several would be loaded beside it, and compress worse, by 2 kB (decision 124).
 */
export function usesFirstLoad(): readonly unknown[] {
  return SHARED
}
