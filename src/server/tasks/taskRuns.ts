import type { Clock } from '../base/clock.js'
import { createTally, type Tally } from '../base/tally.js'
import type { Leases } from './leases.js'
import type { TaskRun } from './taskRun.js'

/** The runs of this process, each until its task is over or gone. */
export interface TaskRuns {
  /** The same runs by owner, and those that are about to begin. */
  readonly atWork: Tally
  get(taskId: string): TaskRun | undefined
  all(): readonly TaskRun[]
  taskIds(): Iterable<string>
  /** Adds a run whose owner has been counted in `atWork`. */
  add(run: TaskRun): void
  /** Removes the run of a task, if there is one. */
  remove(taskId: string): void
  /** Resolves when no run is left, and after so many ms at the latest. */
  drain(drainMs: number): Promise<void>
}

/** No run has begun yet. */
export function createTaskRuns(clock: Clock, leases: Leases | undefined): TaskRuns {
  const runs = new Map<string, TaskRun>()
  const atWork = createTally()
  let onIdle = () => {}

  return {
    atWork,
    get: (taskId) => runs.get(taskId),
    all: () => [...runs.values()],
    taskIds: () => runs.keys(),
    add(run) {
      runs.set(run.record.task.taskId, run)
      leases?.keep(run)
    },
    remove(taskId) {
      const run = runs.get(taskId)
      if (run === undefined) return
      runs.delete(taskId)
      leases?.drop(run)
      atWork.remove(run.record.owner)
      if (runs.size === 0) onIdle()
    },
    async drain(drainMs) {
      if (drainMs <= 0 || runs.size === 0) return
      let timer: unknown
      await new Promise<void>((resolve) => {
        onIdle = resolve
        timer = clock.setTimeout(resolve, drainMs)
      })
      clock.clearTimeout(timer)
    },
  }
}
