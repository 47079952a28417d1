import { createTaskServer, type TaskExecutor, type TaskJob } from 'taskwire/server'
import { serverInfo, store, tools } from './scale/parts.ts'

declare const engine: { trigger(name: string, data: TaskJob, options: { id: string }): Promise<unknown> }

// #region executor
const executor: TaskExecutor = {
  // One event for each attempt, however often it is sent.
  start: async (job) => void (await engine.trigger('mcp/task', job, { id: `${job.taskId}-${job.attempt}` })),
}

export const server = createTaskServer({ serverInfo, tools, store, executor })
// #endregion executor
