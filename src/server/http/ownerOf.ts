import type { AuthInfo } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import type { Exchange } from './exchange.js'

/** How an app names the owner of the tasks that a request may create and see. */
export interface OwnerNaming {
  owner?(request: Request, authInfo: AuthInfo | undefined): string | undefined | Promise<string | undefined>
}

/** What is known of who sends a request. */
type ExchangeOwner = Pick<Exchange, 'request' | 'authInfo'>

/** What a template string makes of a value that is missing: everybody without one would be the same owner. */
const NO_NAMES: ReadonlySet<unknown> = new Set(['', 'undefined', 'null', '[object Object]'])

/**
 * The name under which a request's tasks are kept.
 *
 * @throws {TaskConfigurationError} if `owner` gives no usable name, so that users never share tasks by mistake.
 */
export async function ownerOf(exchange: ExchangeOwner, { owner }: OwnerNaming): Promise<string> {
  if (owner === undefined) return principalOf(exchange.authInfo)
  const name: unknown = await owner(exchange.request, exchange.authInfo)
  if (typeof name === 'string' && !NO_NAMES.has(name)) return name
  const given = typeof name === 'string' ? `"${name}"` : String(name)
  throw new TaskConfigurationError(
    `Failed to tell the owner of a request: \`owner\` returned ${given}. ` +
      'Return an id of the user, and refuse requests without one in `authenticate`.',
  )
}

/**
 * The user whom a token stands for (`sub`, with its issuer where that is known), or the client it was given to where the
 * token names no user; empty without a token. Not the token itself, which changes while the user stays the same.
 */
function principalOf(authInfo: AuthInfo | undefined): string {
  if (authInfo === undefined) return ''
  const { sub, iss } = authInfo.extra ?? {}
  if (typeof sub !== 'string' || NO_NAMES.has(sub)) return JSON.stringify(['client', authInfo.clientId])
  return JSON.stringify(['user', ...(typeof iss === 'string' ? [iss] : []), sub])
}
