import type { TaskJob, TaskQueue } from '../../../src/server/tasks/executor.js'

/** A queue in memory, which a test can hold up, and which delivers each job as often as told. */
export interface MemoryQueue extends TaskQueue {
  /** Every job that was ever started. */
  readonly jobs: TaskJob[]
  /** Jobs that no worker has taken. */
  readonly untaken: TaskJob[]
  /** Delivers a job again, as queues do that cannot tell whether it was done. */
  deliverAgain(job: TaskJob): void
}

export function createMemoryQueue(): MemoryQueue {
  const jobs: TaskJob[] = []
  const untaken: TaskJob[] = []
  const takers = new Set<() => void>()
  const wake = () => {
    for (const take of takers) take()
  }
  const deliver = (job: TaskJob) => {
    untaken.push(job)
    wake()
  }
  return {
    jobs,
    untaken,
    waiting: async () => untaken.length,
    deliverAgain: deliver,
    async start(job) {
      jobs.push(job)
      deliver(job)
    },
    work(run, { concurrency }) {
      let running = 0
      const take = () => {
        while (running < concurrency) {
          const job = untaken.shift()
          if (job === undefined) return
          running += 1
          void run(job).then(() => {
            running -= 1
            if (takers.has(take)) take()
          })
        }
      }
      takers.add(take)
      take()
      return {
        async stop() {
          takers.delete(take)
        },
        async close() {},
      }
    },
  }
}
