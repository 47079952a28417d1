/**
 * Shows the calls of a backend in the pages of its app. The page has no MCP client of its own.
 *
 * @packageDocumentation
 */

export { createTaskClient } from './bridge/page/createTaskClient.js'
export type { TaskClientBridgeOptions } from './bridge/page/options.js'
export * from './core/client/everyClient.js'
