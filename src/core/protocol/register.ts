import type { JsonObject } from './json.js'

/**
 * An app declares its client here, so that every hook and every option factory knows the server's tools and the app's
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
 * The app's own note on a call, at most 1 kB: `callMeta` of {@link Register}, else any JSON object. It is stored in clear
 * text, in the record of the call.
 */
export type ToolCallMeta = Register extends { callMeta: infer Meta extends object } ? Meta : JsonObject
