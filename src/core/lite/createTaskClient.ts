import { ALL_PARTS } from '../client/parts/allParts.js'
import type { TaskClient } from '../client/taskClient.js'
import type { AnyTools, ToolsOf } from '../client/tools.js'
import { createLiteClient } from './createLiteClient.js'
import type { TaskClientLiteOptions } from './options.js'

const CALLER = { name: 'createTaskClient', entry: 'taskwire/lite', parts: ALL_PARTS }

/**
 * Creates a client without the official SDK, for a server that is known to speak MCP 2026-07-28: a page ships a third of
 * the bytes that it ships with `createTaskClient` of `taskwire`. Calls, store, storage, tabs, errors and guarantees are the
 * same, and `taskwire/react` and `taskwire/query` accept it. It connects at its first use.
 *
 * This client has no OAuth (pass the token in `headers`), supports no earlier revision, and does not validate
 * `structuredContent` against the schema of the server (pass an `outputSchema` of the app). If you need these, import
 * `createTaskClient` from `taskwire`.
 *
 * @throws {TaskConfigurationError} if the options cannot work; the message says what to change.
 *
 * @example
 * ```ts
 * import { createTaskClient } from 'taskwire/lite'
 *
 * const client = createTaskClient({
 *   url: 'https://example.com/mcp',
 *   headers: () => ({ Authorization: `Bearer ${token()}` }),
 * })
 * const result = await client.callTool({ name: 'generate_report', arguments: { seconds: 30 } }, { key: 'weekly' })
 * ```
 *
 * @typeParam T The server's tools: `Tools` as `npx taskwire types` writes it, or `typeof server` of a `createTaskServer` in
 * the same repository.
 */
export function createTaskClient<T extends object = AnyTools>(options: TaskClientLiteOptions): TaskClient<ToolsOf<T>> {
  // What the tools are is known to types alone.
  return createLiteClient(options, CALLER) as TaskClient<ToolsOf<T>>
}
