import type { Client } from '@modelcontextprotocol/client'
import type { TaskClient } from '../../core/client/taskClient.js'
import { MAX_TIMER_MS } from '../../core/time/policy.js'
import type { Job } from '../../core/wire/jobs/job.js'
import { createTaskClient } from '../../sdk/createTaskClient.js'
import type { Clock } from '../../server/base/clock.js'

/** What {@link createTaskClientBehind} makes a client of. */
export interface TaskClientBehindOptions {
  /** Connected over `withTasks`. */
  readonly client: Client
  readonly jobs: readonly Job[]
  readonly clock: Clock
}

/** After so many failed polls in a row, a task of the server behind counts as lost. */
const MAX_FAILED_POLLS = 20

/**
 * A client that follows jobs and tasks of the server behind. It keeps nothing: the tasks in front are in the store of the gateway.
 */
export function createTaskClientBehind({ client, jobs, clock }: TaskClientBehindOptions): TaskClient {
  return createTaskClient({
    client,
    jobs,
    storage: 'memory',
    crossTab: false,
    push: false,
    batchUpdates: false,
    retry: { maxAttempts: MAX_FAILED_POLLS },
    // The task in front says how long it may take, and its client may cancel it.
    callTimeoutMs: MAX_TIMER_MS,
    environment: {
      now: () => clock.now(),
      setTimeout: (callback, ms) => clock.setTimeout(callback, ms),
      clearTimeout: (handle) => clock.clearTimeout(handle),
    },
  })
}
