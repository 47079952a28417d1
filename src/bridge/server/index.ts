export { createTaskBridge, type TaskBridge } from './createTaskBridge.js'
export type { BridgeAction, BridgeAllow, TaskBridgeOptions } from './options.js'
