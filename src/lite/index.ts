/**
 * The same client without the official SDK, for pages that count bytes and call one server of revision 2026-07-28.
 *
 * @packageDocumentation
 */
export * from '../everyClient.js'
export { createTaskClient } from './createTaskClient.js'
export type { TaskClientLiteOptions } from './options.js'
