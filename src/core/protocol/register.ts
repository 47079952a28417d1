import type { JsonObject } from './json.js'

/**
 * Where an app declares its client, so that every hook and every option factory knows the server's tools and the app's
 * `meta`. Without a declaration, tools have any name and any arguments.
 *
 * @example
 * ```ts
 * const client = createTaskClient<Tools>({ url: '/mcp' })
 *
 * declare module 'taskwire' {
 *   interface Register {
 *     client: typeof client
 *     callMeta: { title: string; batch?: string }
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: apps add to it
export interface Register {}

/**
 * The app's own note on a call: `callMeta` of {@link Register}, else any JSON object. At most 1 kB. It is stored in clear
 * text, in the record of the call.
 */
export type ToolCallMeta = Register extends { callMeta: infer Meta extends object } ? Meta : JsonObject
