import type { TaskClient } from '../../core/client/taskClient.js'

/** The part of a TanStack query that says whether components show it. */
export interface ShownQuery {
  getObserversCount(): number
  reset(): void
}

/** A call that was forgotten while components showed it. */
interface ForgottenCall {
  /** The queries that they show, and those that take the place of these when the app clears its cache. */
  readonly queries: Set<ShownQuery>
  /** Wake the fetches that wait until the call is wanted again. */
  readonly wakes: Set<() => void>
}

/** By client, and by the id of the call: until the call is made again, or no component shows it. */
const forgottenCalls = new WeakMap<TaskClient, Map<string, ForgottenCall>>()

/** The call was forgotten while components showed it by this query. */
export function noteForgotten(client: TaskClient, callId: string, query: ShownQuery): void {
  const calls = forgottenCalls.get(client) ?? new Map<string, ForgottenCall>()
  const call = calls.get(callId) ?? { queries: new Set(), wakes: new Set() }
  call.queries.add(query)
  forgottenCalls.set(client, calls.set(callId, call))
}

/** True if components show the call and have done so when it was forgotten: none of them asks for another call. */
export function isForgottenOnScreen(client: TaskClient, callId: string): boolean {
  return forgottenCalls.get(client)?.has(callId) === true
}

/** The call is wanted again: the app has it fetched, or something else has made one of its key. */
export function noteWanted(client: TaskClient, callId: string): void {
  const calls = forgottenCalls.get(client)
  for (const wake of calls?.get(callId)?.wakes ?? []) wake()
  calls?.delete(callId)
}

/**
 * Resolves when the call is wanted again. A component that suspends makes TanStack fetch its query also before that. The query, which
 * may belong to another query client than those on the screen, is reset once no component shows the call.
 */
export function untilWanted(client: TaskClient, callId: string, query: ShownQuery, signal: AbortSignal): Promise<void> {
  noteForgotten(client, callId, query)
  return new Promise((resolve, reject) => {
    forgottenCalls.get(client)?.get(callId)?.wakes.add(resolve)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** No component shows the call by this query. */
export function noteUnshown(client: TaskClient, callId: string, query: ShownQuery): void {
  const calls = forgottenCalls.get(client)
  const call = calls?.get(callId)
  if (!call?.queries.delete(query)) return
  const endUnlessShown = () => {
    const isShown = [...call.queries].some((other) => other.getObserversCount() > 0)
    if (isShown || calls?.get(callId) !== call) return
    calls.delete(callId)
    // A fetch of a component that suspended may still wait, and that component is gone.
    for (const other of call.queries) other.reset()
  }
  // A turn later, a component may have moved to another query of the call.
  if (call.queries.size === 0) endUnlessShown()
  else queueMicrotask(endUnlessShown)
}
