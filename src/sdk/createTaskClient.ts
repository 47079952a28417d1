import { createClientOver } from '../core/client/createClientOver.js'
import { PARTS_OF_EVERY_REVISION } from '../core/client/parts/everyRevision.js'
import type { SetUp } from '../core/client/setUp.js'
import type { TaskClient } from '../core/client/taskClient.js'
import type { AnyTools, ToolsOf } from '../core/client/tools.js'
import type { TaskClientOptions } from './sdkOptions.js'
import { setUpSdk } from './sdkSetup.js'

/**
 * Creates a client that calls tools and follows the tasks that calls become, across reloads. The client does nothing until
 * its first use: then it connects, reads storage and listens to the page.
 *
 * @throws {TaskConfigurationError} if the options cannot work; the message says what to change.
 *
 * @example
 * ```ts
 * const client = createTaskClient({ url: 'https://example.com/mcp' })
 * const result = await client.callTool({ name: 'generate_report', arguments: { seconds: 30 } }, { key: 'weekly' })
 * ```
 *
 * @typeParam T The server's tools: `Tools` as `npx taskwire types` writes it, or `typeof server` of a `createTaskServer` in
 * the same repository.
 */
export function createTaskClient<T extends object = AnyTools>(options: TaskClientOptions): TaskClient<ToolsOf<T>> {
  // What the tools are is known to types alone.
  const setUp: SetUp = (environment, onIssue) => setUpSdk(options, environment, onIssue)
  return createClientOver(options, setUp, PARTS_OF_EVERY_REVISION) as TaskClient<ToolsOf<T>>
}
