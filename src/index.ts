/**
 * The client: calls of tools that may take minutes, their state as a store, and the errors that they end with. No
 * framework is needed.
 *
 * @packageDocumentation
 */

export * from './core/client/everyClient.js'
export type { LegacyTasksMode } from './core/wire/legacyOptions.js'
export { createTaskClient } from './sdk/createTaskClient.js'
export type {
  TaskClientOptions,
  TaskClientSdkOptions,
  TaskClientUrlOptions,
} from './sdk/sdkOptions.js'
export type { BrowserAuthProvider } from './sdk/signIn/authProvider.js'
export { type WithTasksOptions, withTasks } from './sdk/withTasks/withTasks.js'
