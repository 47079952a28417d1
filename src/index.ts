/**
 * The client: calls of tools that may take minutes, their state as a store, and the errors that they end with. No
 * framework is needed.
 *
 * @packageDocumentation
 */
export { createTaskClient } from './client/createTaskClient.js'
export type {
  TaskClientOptions,
  TaskClientSdkOptions,
  TaskClientUrlOptions,
} from './client/sdkOptions.js'
export type { BrowserAuthProvider } from './connection/authProvider.js'
export type { LegacyTasksMode } from './connection/legacy/options.js'
export { type WithTasksOptions, withTasks } from './connection/withTasks/withTasks.js'
export * from './everyClient.js'
