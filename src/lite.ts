/**
 * The client of `taskwire` without the official SDK, for small pages that call one server of revision 2026-07-28.
 *
 * @packageDocumentation
 */
export * from './core/client/everyClient.js'
export { createTaskClient } from './core/lite/createTaskClient.js'
export type { TaskClientLiteOptions } from './core/lite/options.js'
