/**
 * Checks that find out why a page cannot use its MCP server, such as CORS, a wrong URL or a missing sign-in.
 *
 * @packageDocumentation
 */
export type { Finding, Place } from './tools/diagnose/check.js'
export { type DiagnoseOptions, diagnose } from './tools/diagnose/diagnose.js'
export type { CheckOutcome, Diagnosis } from './tools/diagnose/judge.js'
export type { Poll, TaskRun } from './tools/diagnose/observed.js'
