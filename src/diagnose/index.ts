export type { Finding, Place } from './check.js'
export { type DiagnoseOptions, diagnose } from './diagnose.js'
export type { CheckOutcome, Diagnosis } from './judge.js'
export type { Poll, TaskRun } from './observed.js'
