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
