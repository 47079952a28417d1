import type { TaskRecord } from './taskRecord.js'
import { isHeldBy } from './taskReducer.js'
import type { TaskRun } from './taskRun.js'

/** The runs of one server, by the ids of their tasks. */
type RunsOfServer = ReadonlyMap<string, Pick<TaskRun, 'by'>>

/** Of every server of this process that works on tasks: two of them may be over one store in memory. */
const servers = new Set<RunsOfServer>()

/** To be called when a server has its first run. */
export function beginWorkHere(runs: RunsOfServer): void {
  servers.add(runs)
}

/** To be called when a server has no run left. */
export function endWorkHere(runs: RunsOfServer): void {
  servers.delete(runs)
}

/** True if a server of this process works on the task. Claims and ids are drawn at random, so it is the task of the same store. */
export function isWorkedOnHere(record: TaskRecord): boolean {
  const { taskId, status } = record.task
  if (status !== 'working') return false
  for (const runs of servers) {
    const run = runs.get(taskId)
    if (run !== undefined && isHeldBy(record, run.by)) return true
  }
  return false
}
