/**
 * Shows the calls of a backend in the pages of its app. The page itself has no MCP client.
 *
 * @packageDocumentation
 */

export type { BridgeCarrier } from './bridge/page/carrier.js'
export { createTaskClient } from './bridge/page/createTaskClient.js'
export type { TaskClientBridgeOptions } from './bridge/page/options.js'
export { type PageWebSocket, type WebSocketCarrierOptions, webSocket } from './bridge/page/webSocket.js'
export * from './core/client/everyClient.js'
