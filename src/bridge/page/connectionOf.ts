import type { JsonObject } from '../../core/protocol/json.js'
import type { ConnectionState } from '../../core/wire/connection.js'
import type { LinkStatus } from './link.js'

/** The HTTP status of a user who is not signed in. */
export const UNAUTHORIZED = 401

/** The status with which a backend refuses an action since another user has signed in. */
export const OTHER_USER = 409

/** The connection as the store shows it: to the backend, and by what the backend says, from there to the MCP server. */
export function connectionOf(
  link: LinkStatus | undefined,
  backend: JsonObject | undefined,
  isClosed: boolean,
): ConnectionState {
  if (isClosed) return { status: 'closed' }
  if (link === undefined) return { status: 'idle' }
  const { isLive, refused, error } = link
  const why = error && { error }
  if (refused !== undefined) return { status: refused === UNAUTHORIZED ? 'unauthorized' : 'failed', ...why }
  if (!isLive) return { ...backend, status: 'connecting', ...why }
  const { status } = { ...backend }
  // A client that nothing has asked yet has no connection, and needs none.
  const shown = STATUS.find((known) => known === status) ?? 'connected'
  return { ...backend, status: shown }
}

const STATUS = ['connecting', 'connected', 'unauthorized', 'failed'] as const
