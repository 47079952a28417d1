import type { TaskClient } from '../../core/client/taskClient.js'
import { isSettled, type ToolCallState } from '../../core/record/toolCallState.js'
import type { QueryOfCall } from './queryOfCall.js'

interface Held {
  /** When the call was started whose outcome the query holds: it tells calls of one key apart. */
  readonly startedAt: number | undefined
  /** The client that the query was last fetched by, where it was fetched in this page. */
  readonly client?: TaskClient
}

const held = new WeakMap<object, Held>()

/** A query has got what it was fetched for: the outcome of this call of the client, if it has one. */
export function noteHeld(query: object, client: TaskClient, call: ToolCallState): void {
  held.set(query, { startedAt: isSettled(call) ? call.startedAt : undefined, client })
}

/** True if a query has failed with the client that it was fetched by, which this one has replaced, and not with this call. */
export function isLeftBehind(query: QueryOfCall, client: TaskClient, call: ToolCallState): boolean {
  const { status, fetchStatus } = query.state
  return status === 'error' && fetchStatus === 'idle' && held.get(query)?.client !== client && !holds(query, call)
}

/**
 * True if a query that has ended holds the outcome of this call. Nothing is noted of a query that comes out of a server's page or
 * a storage: if it was fetched since the call was made, it may hold that of a call that has ended, and holds it from then on.
 */
export function holds(query: QueryOfCall, call: ToolCallState): boolean {
  const isOver = call.endedAt !== undefined
  const { dataUpdatedAt, errorUpdatedAt } = query.state
  const isSince = Math.max(dataUpdatedAt, errorUpdatedAt) > call.startedAt
  if (!held.has(query) && isOver && isSince) held.set(query, { startedAt: call.startedAt })
  return held.get(query)?.startedAt === call.startedAt
}
