import { TaskConfigurationError } from '../protocol/errors.js'
import type { Exchange } from './exchange.js'
import type { ServerConfig } from './serverConfig.js'

/** What a template string makes of a value that is missing: everybody without one would be the same owner. */
const NO_NAMES: ReadonlySet<unknown> = new Set(['', 'undefined', 'null', '[object Object]'])

/**
 * The name under which a request's tasks are kept.
 *
 * @throws {TaskConfigurationError} where `owner` gives no usable name: nobody shares tasks by mistake.
 */
export async function ownerOf(exchange: Exchange, { owner }: ServerConfig): Promise<string> {
  if (owner === undefined) return ''
  const name: unknown = await owner(exchange.request, exchange.authInfo)
  if (typeof name === 'string' && !NO_NAMES.has(name)) return name
  const given = typeof name === 'string' ? `"${name}"` : String(name)
  throw new TaskConfigurationError(
    `Failed to tell the owner of a request: \`owner\` returned ${given}. ` +
      'Return an id of the user, and refuse requests without one in `authenticate`.',
  )
}
