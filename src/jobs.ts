/**
 * Tools of servers without tasks: a tool that starts a job and a tool that reads its progress become one call.
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
