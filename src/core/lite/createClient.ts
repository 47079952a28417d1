import { mustBe } from '../client/mustBe.js'
import type { ClientParts, PartsOfClient } from '../client/parts/parts.js'
import type { TaskClient } from '../client/taskClient.js'
import type { AnyTools, ToolsOf } from '../client/tools.js'
import { inDevelopment } from '../environment/inDevelopment.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import { createLiteClient } from './createLiteClient.js'
import { checkOptionsOfParts, NO_PARTS } from './missingParts.js'
import type { TaskClientLiteOptions } from './options.js'

/**
 * Creates the client of `taskwire/lite` from the parts that an app names, so that a page ships only code that it uses. Even
 * without parts, the client calls tools, polls tasks and resumes them after a reload. It connects at its first use.
 *
 * @throws {TaskConfigurationError} if the options cannot work, or need a part that is missing; the message says what to
 *   change.
 *
 * @example
 * ```ts
 * import { createClient, inputs, tabs } from 'taskwire/core'
 *
 * const client = createClient({ url: 'https://example.com/mcp' }, { inputs, tabs })
 * const result = await client.callTool({ name: 'generate_report', arguments: { seconds: 30 } }, { key: 'weekly' })
 * ```
 *
 * @typeParam T The server's tools: `Tools` as `npx taskwire types` writes it, or `typeof server` of a `createTaskServer` in
 * the same repository.
 */
export function createClient<T extends object = AnyTools>(
  options: TaskClientLiteOptions,
  parts: ClientParts = {},
): TaskClient<ToolsOf<T>> {
  if (typeof parts !== 'object' || parts === null) throw mustBe('The second argument of createClient', parts, PARTS)
  inDevelopment?.(() => checkPartsGiven(parts))
  checkOptionsOfParts(Object(options), parts)
  const { tabs, inputs, forms, push, observing } = parts
  // A part is what this package exports under its name, with what it brings.
  const brought: PartsOfClient = { ...NO_PARTS, ...tabs, ...inputs, ...forms, ...push, ...observing }
  const without = {
    ...(!tabs && { crossTab: false }),
    ...(!push && { push: false }),
    ...(!inputs && { capabilities: { ...NO_FORMS, ...options?.capabilities } }),
  }
  const caller = { name: 'createClient', entry: 'taskwire/core', parts: brought }
  // What the tools are is known to types alone.
  return createLiteClient({ ...options, ...without }, caller) as TaskClient<ToolsOf<T>>
}

/** In place of elicitation, which every other client declares. */
const NO_FORMS: Record<string, undefined> = { elicitation: undefined }

const PARTS = 'an object of parts: tabs, inputs, forms, push and observing of taskwire/core'

function checkPartsGiven(parts: ClientParts): void {
  for (const [name, part] of Object.entries(parts)) {
    if (part === undefined || (KNOWN.includes(name) && part?.part === name)) continue
    throw new TaskConfigurationError(
      `createClient got ${name}, which is not a part. Its second argument must be ${PARTS}.`,
    )
  }
}

const KNOWN = ['tabs', 'inputs', 'forms', 'push', 'observing']
