/**
 * The calls of a client in the backend of an app, shown in its pages: the page has no MCP client of its own.
 *
 * @packageDocumentation
 */

export { createTaskClient } from './bridge/page/createTaskClient.js'
export type { TaskClientBridgeOptions } from './bridge/page/options.js'
export * from './core/client/everyClient.js'
