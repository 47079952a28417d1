/**
 * A server for the Tasks extension on the official SDK: tools that report progress, ask for input and survive the
 * page that called them.
 *
 * @packageDocumentation
 */
export type { Clock } from './base/clock.js'
export type { LogLine, TaskLogger } from './base/logger.js'
export type { ReportError, TaskServerErrorContext } from './base/reportError.js'
export type {
  StoreOperation,
  TaskEventBase,
  TaskOutcomeName,
  TaskServerEvent,
  TaskServerGauges,
} from './base/taskServerEvents.js'
export type { InstrumentedCall, TaskServerInstrument } from './base/taskServerInstrument.js'
export { createTaskServer, type TaskCloseOptions, type TaskServer } from './createTaskServer.js'
export { createTaskWorker, type TaskWorker, type TaskWorkerOptions } from './createTaskWorker.js'
export type { PartHealth, TaskHealth } from './health.js'
export { createHealthHandler, type FetchHandler } from './healthHandler.js'
export type { CorsOptions } from './http/cors.js'
export type { TaskCandidate, TaskServerLoad, TaskServerOptions, TaskServerRequestOptions } from './taskServerOptions.js'
export type { TaskExecutor, TaskJob, TaskQueue, TaskQueueOptions, TaskQueueWorker } from './tasks/executor.js'
export { InMemoryTaskStore } from './tasks/inMemoryTaskStore.js'
export type { TaskListFilter, TaskPage, TaskSummary } from './tasks/taskList.js'
export type { TaskDetails, TaskOperator } from './tasks/taskOperator.js'
export type { TaskLease, TaskRecord, TaskRepetition, TaskStep } from './tasks/taskRecord.js'
export type { ToolStepOptions } from './tasks/taskSteps.js'
export type { TaskStore } from './tasks/taskStore.js'
export {
  defineTool,
  type TaskDecision,
  type TaskSupport,
  type ToolDefinition,
  type ToolsOfDefinitions,
} from './tools/defineTool.js'
export type {
  Elicit,
  ElicitContent,
  ElicitFormParams,
  ElicitParams,
  ElicitResponse,
  ElicitUrlParams,
} from './tools/elicit.js'
export type { PrepareContext, ToolContext } from './tools/toolContext.js'
