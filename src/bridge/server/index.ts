/**
 * The side of the backend: it gives pages the calls of its client, and takes their responses and cancellations.
 *
 * @packageDocumentation
 */
export { createTaskBridge, type TaskBridge } from './createTaskBridge.js'
export type { BridgeAction, BridgeAllow, TaskBridgeOptions } from './options.js'
