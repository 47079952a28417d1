/**
 * Checks that find what keeps a page from its MCP server, such as CORS, a wrong URL or a missing sign-in.
 *
 * @packageDocumentation
 */
export type { Finding, Place } from './check.js'
export { type DiagnoseOptions, diagnose } from './diagnose.js'
export type { CheckOutcome, Diagnosis } from './judge.js'
export type { Poll, TaskRun } from './observed.js'
