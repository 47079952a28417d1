/**
 * The calls of a client in the backend of an app, shown in its pages: the page has no MCP client of its own.
 *
 * @packageDocumentation
 */
export * from '../everyClient.js'
export { createTaskClient } from './createTaskClient.js'
export type { TaskClientBridgeOptions } from './options.js'
