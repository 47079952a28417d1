import type { TaskClient } from '../../core/client/taskClient.js'
import { abortError } from '../../core/time/abort.js'
import { hasEnded, type QueryOfCall } from './queryOfCall.js'

type SuspendingQuery = Pick<QueryOfCall, 'state'>

/** Queries for whose first outcome components have suspended. They do not observe them: React keeps nothing of them meanwhile. */
const suspending = new WeakSet<SuspendingQuery>()

/** The calls that were forgotten meanwhile, by client, until a component has seen that: each of them fails with an `AbortError`. */
const forgottenEarly = new WeakMap<TaskClient, Set<string>>()

/** Notes that React renders a component which suspends until this query of the call has its first outcome. The app may fetch it, too. */
export function noteSuspending(client: TaskClient, callId: string, query: SuspendingQuery): void {
  if (hasEnded(query)) forgottenEarly.get(client)?.delete(callId)
  else suspending.add(query)
}

/** True while the query is fetched for components that suspend. */
export function isSuspending(query: SuspendingQuery): boolean {
  return suspending.has(query) && query.state.fetchStatus === 'fetching' && !hasEnded(query)
}

/** The call was forgotten while components suspended for it. */
export function noteForgottenEarly(client: TaskClient, callId: string): void {
  forgottenEarly.set(client, (forgottenEarly.get(client) ?? new Set()).add(callId))
}

/**
 * To be called where a component that suspends has its call fetched; `isWanted` where the user has asked for that.
 *
 * @throws an `AbortError`, once, if the call was forgotten and not made since. The app has cleared its cache before the component could see it.
 */
export function failIfForgottenEarly(client: TaskClient, callId: string, isWanted: boolean): void {
  const isForgotten = forgottenEarly.get(client)?.delete(callId) === true
  const isMade = client.getToolCallState(callId) !== undefined
  if (isForgotten && !isWanted && !isMade) throw abortError('The call was forgotten.')
}
