/**
 * A server for the Tasks extension on the official SDK: tools that report progress, ask for input and survive the
 * page that called them.
 *
 * @packageDocumentation
 */
export type { Clock } from './server/base/clock.js'
export type { LogLine, TaskLogger } from './server/base/logger.js'
export type { ReportError, TaskServerErrorContext } from './server/base/reportError.js'
export type {
  StoreOperation,
  TaskEventBase,
  TaskOutcomeName,
  TaskServerEvent,
  TaskServerGauges,
} from './server/base/taskServerEvents.js'
export type { InstrumentedCall, TaskServerInstrument } from './server/base/taskServerInstrument.js'
export { createTaskServer, type TaskCloseOptions, type TaskServer } from './server/createTaskServer.js'
export { createTaskWorker, type TaskWorker, type TaskWorkerOptions } from './server/createTaskWorker.js'
export type { PartHealth, TaskHealth } from './server/health.js'
export { createHealthHandler, type FetchHandler } from './server/healthHandler.js'
export type { CorsOptions } from './server/http/cors.js'
export type {
  TaskCandidate,
  TaskServerLoad,
  TaskServerOptions,
  TaskServerRequestOptions,
} from './server/taskServerOptions.js'
export type { TaskExecutor, TaskJob, TaskQueue, TaskQueueOptions, TaskQueueWorker } from './server/tasks/executor.js'
export { InMemoryTaskStore } from './server/tasks/inMemoryTaskStore.js'
export type { TaskListFilter, TaskPage, TaskSummary } from './server/tasks/taskList.js'
export type { TaskDetails, TaskOperator } from './server/tasks/taskOperator.js'
export type { TaskLease, TaskRecord, TaskRepetition, TaskStep } from './server/tasks/taskRecord.js'
export type { ToolStepOptions } from './server/tasks/taskSteps.js'
export type { TaskStore } from './server/tasks/taskStore.js'
export {
  defineTool,
  type TaskDecision,
  type TaskSupport,
  type ToolDefinition,
  type ToolsOfDefinitions,
} from './server/tools/defineTool.js'
export type {
  Elicit,
  ElicitContent,
  ElicitFormParams,
  ElicitParams,
  ElicitResponse,
  ElicitUrlParams,
} from './server/tools/elicit.js'
export type { PrepareContext, ToolContext } from './server/tools/toolContext.js'
