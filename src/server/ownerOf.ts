import { TaskConfigurationError } from '../protocol/errors.js'
import type { Exchange } from './exchange.js'
import type { ServerConfig } from './serverConfig.js'

/** The name under which a request's tasks are kept. */
export async function ownerOf(exchange: Exchange, { owner }: ServerConfig): Promise<string> {
  if (owner === undefined) return ''
  const name: unknown = await owner(exchange.request, exchange.authInfo)
  if (typeof name === 'string') return name
  throw new TaskConfigurationError('Failed to tell the owner of a request: `owner` returned no string. Return one.')
}
