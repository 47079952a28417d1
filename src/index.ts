/**
 * The client: tool calls that may take minutes, a store with their state, and the errors that they end with. It needs no
 * framework.
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
