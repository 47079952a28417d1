import type { TaskClient } from '../../core/client/taskClient.js'
import { isSettled, type ToolCallState } from '../../core/record/toolCallState.js'
import type { QueryOfCall } from './queryOfCall.js'

/** When the call was started whose outcome a query holds: `startedAt` tells calls of one key apart. */
const held = new WeakMap<object, number | undefined>()

/** The client that a query was last fetched by. */
const fetchedBy = new WeakMap<object, TaskClient>()

/** A query has got what it was fetched for: the outcome of this call of the client, if it has one. */
export function noteHeld(query: object, client: TaskClient, call: ToolCallState): void {
  held.set(query, isSettled(call) ? call.startedAt : undefined)
  fetchedBy.set(query, client)
}

/** True if a query has failed with the client that it was fetched by, which this one has replaced, and not with this call. */
export function isLeftBehind(query: QueryOfCall, client: TaskClient, call: ToolCallState): boolean {
  const { status, fetchStatus } = query.state
  return status === 'error' && fetchStatus === 'idle' && fetchedBy.get(query) !== client && !holds(query, call)
}

/**
 * True if a query that has ended holds the outcome of this call. Nothing is noted of a query that comes out of a server's page or
 * a storage: if it was fetched since the call was made, it may hold that of a call that has ended, and holds it from then on.
 */
export function holds(query: QueryOfCall, call: ToolCallState): boolean {
  const isOver = call.endedAt !== undefined
  const { dataUpdatedAt, errorUpdatedAt } = query.state
  const isSince = Math.max(dataUpdatedAt, errorUpdatedAt) > call.startedAt
  if (!held.has(query) && isOver && isSince) held.set(query, call.startedAt)
  return held.get(query) === call.startedAt
}
