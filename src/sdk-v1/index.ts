/**
 * The same client over a client of `@modelcontextprotocol/sdk` 1.x, which an app has already.
 *
 * @packageDocumentation
 */
export type { LegacyTasksMode } from '../connection/legacy/options.js'
export type { SchemaValidator } from '../connection/sdkV1/client.js'
export * from '../everyClient.js'
export { createTaskClient } from './createTaskClient.js'
export type { TaskClientSdkV1Options } from './options.js'
