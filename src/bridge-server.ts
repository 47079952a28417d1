/**
 * The backend's side of `taskwire/bridge`: it sends the calls of its clients to pages, and carries out what pages request.
 *
 * @packageDocumentation
 */
export { createTaskBridge, type TaskBridge } from './bridge/server/createTaskBridge.js'
export type { BridgeSocket, OpenSocket } from './bridge/server/newsSocket.js'
export type { BridgeAction, BridgeAllow, TaskBridgeOptions } from './bridge/server/options.js'
