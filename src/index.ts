export { createTaskClient } from './client/createTaskClient.js'
export type {
  TaskClientOptions,
  TaskClientSdkBaseOptions,
  TaskClientSdkOptions,
  TaskClientUrlOptions,
} from './client/sdkOptions.js'
export type { AuthServer, BegunSignIn, BrowserAuthProvider, BrowserSignIn } from './connection/authProvider.js'
export { type WithTasksOptions, withTasks } from './connection/withTasks/withTasks.js'
export * from './everyClient.js'
