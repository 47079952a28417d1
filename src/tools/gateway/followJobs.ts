// Loaded where there are jobs: other gateways need nothing of the task client.
import type { Client, Transport } from '@modelcontextprotocol/client'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { Job } from '../../core/wire/jobs/job.js'
import { createTaskClient } from '../../sdk/createTaskClient.js'
import { withTasks } from '../../sdk/withTasks/withTasks.js'
import type { Clock } from '../../server/base/clock.js'

/** The transport of a client whose jobs are followed. */
export const withJobs = (transport: Transport): Transport => withTasks(transport)

/** What a job client is made of. */
export interface JobClientOptions {
  /** Connected over {@link withJobs}. */
  readonly client: Client
  readonly jobs: readonly Job[]
  readonly clock: Clock
}

/** How often a status tool may fail in a row before its job counts as lost. */
const MAX_FAILED_POLLS = 20

/** Follows jobs over the connection of the gateway, and keeps nothing: the tasks in front are in the store of the gateway. */
export function createJobClient({ client, jobs, clock }: JobClientOptions): TaskClient {
  return createTaskClient({
    client,
    jobs,
    storage: 'memory',
    crossTab: false,
    push: false,
    batchUpdates: false,
    legacy: { tasks: 'never' },
    retry: { maxAttempts: MAX_FAILED_POLLS },
    environment: {
      now: () => clock.now(),
      setTimeout: (callback, ms) => clock.setTimeout(callback, ms),
      clearTimeout: (handle) => clock.clearTimeout(handle),
    },
  })
}
