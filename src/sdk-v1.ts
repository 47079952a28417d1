/**
 * The client of `taskwire` for an app that already has a client of `@modelcontextprotocol/sdk` 1.x.
 *
 * @packageDocumentation
 */

export * from './core/client/everyClient.js'
export type { LegacyTasksMode } from './core/wire/legacyOptions.js'
export type { SchemaValidator } from './sdk/v1/client.js'
export { createTaskClient } from './sdk/v1/createTaskClient.js'
export type { TaskClientSdkV1Options } from './sdk/v1/options.js'
