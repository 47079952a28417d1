/**
 * Tools of servers without tasks: a pair of tools that start a job and read how far it is becomes one call.
 *
 * @packageDocumentation
 */

export { byStatusField, type StatusFieldOptions } from './core/wire/jobs/byStatusField.js'
export { defineJob } from './core/wire/jobs/defineJob.js'
export type {
  Job,
  JobDefinition,
  JobId,
  JobReading,
  JobTool,
  JobToolResult,
} from './core/wire/jobs/job.js'
