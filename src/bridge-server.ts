/**
 * The backend's side of `taskwire/bridge`: it sends pages the calls of its client, and takes their responses and
 * cancellations.
 *
 * @packageDocumentation
 */
export { createTaskBridge, type TaskBridge } from './bridge/server/createTaskBridge.js'
export type { BridgeSocket, OpenSocket } from './bridge/server/newsSocket.js'
export type { BridgeAction, BridgeAllow, TaskBridgeOptions } from './bridge/server/options.js'
