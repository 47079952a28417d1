/**
 * Tools of servers without tasks: a pair of tools that start a job and read how far it is becomes one call.
 *
 * @packageDocumentation
 */
export type {
  Job,
  JobDefinition,
  JobId,
  JobReading,
  JobTool,
  JobToolResult,
} from '../connection/jobTools/job.js'
export { byStatusField, type StatusFieldOptions } from './byStatusField.js'
export { defineJob } from './defineJob.js'
