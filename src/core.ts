/**
 * The client of `taskwire/lite`, made of only the parts that an app chooses.
 *
 * @packageDocumentation
 */
// biome-ignore-all lint/style/noRestrictedImports: an entry names what stands above this folder, and nothing imports it.

export * from './core/client/everyClient.js'
export type { ClientPart, ClientParts } from './core/client/parts/parts.js'
export { createClient } from './core/lite/createClient.js'
export { forms, inputs, observing, push, tabs } from './core/lite/namedParts.js'
export type { TaskClientLiteOptions } from './core/lite/options.js'
