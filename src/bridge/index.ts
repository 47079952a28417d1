export * from '../everyClient.js'
export { createTaskClient } from './createTaskClient.js'
export type { TaskClientBridgeOptions } from './options.js'
