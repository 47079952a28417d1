export * from '../everyClient.js'
export { createTaskClient } from './createTaskClient.js'
export type { TaskClientLiteOptions } from './options.js'
