/**
 * The client of `taskwire/lite`, made of the parts that an app names.
 *
 * @packageDocumentation
 */
// biome-ignore-all lint/style/noRestrictedImports: an entry names what stands above this folder, and nothing imports it.
export type { ClientPart, ClientParts } from '../client/parts/parts.js'
export * from '../everyClient.js'
export { createClient } from '../lite/createClient.js'
export { forms, inputs, observing, push, tabs } from '../lite/namedParts.js'
export type { TaskClientLiteOptions } from '../lite/options.js'
