import {
  createTaskServer,
  type TaskExecutor,
  type TaskJob,
} from 'taskwire/server'
import { store } from './scale/parts.ts'
import { serverInfo, tools } from './scale/tools.ts'

/**
 * The part of an engine for durable workflows, such as Inngest, Temporal or
 * Trigger.dev, that the code below needs.
 */
interface Engine {
  trigger(
    name: string,
    data: TaskJob,
    options: { id: string },
  ): Promise<unknown>
}

export function createServerOver(engine: Engine) {
  const executor: TaskExecutor = {
    // One event for each attempt, however often it is sent.
    start: async (job) =>
      void (await engine.trigger('mcp/task', job, {
        id: `${job.taskId}-${job.attempt}`,
      })),
  }
  return createTaskServer({ serverInfo, tools, store, executor })
}
