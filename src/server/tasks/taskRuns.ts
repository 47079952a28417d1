import { createTally, type Tally } from '../base/tally.js'
import type { Leases } from './leases.js'
import type { TaskRecord } from './taskRecord.js'
import type { TaskRun } from './taskRun.js'
import { beginWorkHere, endWorkHere, isWorkedOnHere } from './workHere.js'

/** The runs of this process, each until its task is over or gone. */
export interface TaskRuns {
  /** The same runs by owner, and those that are about to begin. */
  readonly atWork: Tally
  get(taskId: string): TaskRun | undefined
  all(): readonly TaskRun[]
  /**
   * True for a task that a server of this process works on and that no other process could take: it does not expire, also where
   * this process has slept for longer than its ttl and has not postponed the expiry.
   */
  keeps(record: TaskRecord): boolean
  taskIds(): Iterable<string>
  /** Adds a run whose owner has been counted in `atWork`. */
  add(run: TaskRun): void
  /** Removes the run of a task, if there is one. */
  remove(taskId: string): void
  /** Resolves when no run is left. */
  ended(): Promise<void>
}

/** No run has begun yet. */
export function createTaskRuns(leases: Leases | undefined): TaskRuns {
  const runs = new Map<string, TaskRun>()
  const atWork = createTally()
  let onIdle = () => {}

  return {
    atWork,
    get: (taskId) => runs.get(taskId),
    all: () => [...runs.values()],
    keeps: (record) => leases === undefined && isWorkedOnHere(record),
    taskIds: () => runs.keys(),
    add(run) {
      const { taskId } = run.record.task
      const before = runs.get(taskId)
      // Its task has expired, and a call with the same key has made another one.
      if (before !== undefined) {
        this.remove(taskId)
        before.lose()
      }
      runs.set(taskId, run)
      beginWorkHere(runs)
      leases?.keep(run)
    },
    remove(taskId) {
      const run = runs.get(taskId)
      if (run === undefined) return
      runs.delete(taskId)
      leases?.drop(run)
      atWork.remove(run.record.owner)
      if (runs.size > 0) return
      endWorkHere(runs)
      onIdle()
    },
    async ended() {
      if (runs.size > 0) await new Promise<void>((resolve) => (onIdle = resolve))
    },
  }
}
