import { ignoreRejection } from '../protocol/ignoreRejection.js'
import type { TaskProgress } from '../protocol/progress.js'
import type { ToolCallState } from '../record/toolCallState.js'
import type { TaskClient } from './taskClient.js'

/** The counts and progress of many calls. */
export interface ToolCallGroupState {
  /** The calls, oldest first. */
  readonly calls: readonly ToolCallState[]
  /** How many calls have not ended. */
  readonly running: number
  /** How many calls have ended with a result that is not an error. */
  readonly completed: number
  /** How many calls have failed, including those with a result that has `isError: true`. */
  readonly failed: number
  readonly cancelled: number
  /** The combined progress, in calls: a call that has ended counts as one, a running call as the fraction that it reports. */
  readonly progress: TaskProgress
}

/** Many calls as one, such as those of a batch. */
export interface ToolCallGroup {
  /** Returns the state: the same object while nothing in it has changed. */
  getState(): ToolCallGroupState
  /**
   * Calls the listener when one of the calls changes, or when the filter matches other calls than before. Returns a
   * function that unsubscribes.
   */
  subscribe(listener: (state: ToolCallGroupState) => void): () => void
  /**
   * Asks the server to stop the running calls, like `cancel()` of each of them. It causes no unhandled rejection.
   *
   * @throws The first error of a cancellation, after the others were sent.
   */
  cancelAll(): Promise<void>
}

/** A filter for calls. */
export interface ToolCallsFilter {
  /**
   * Returns true for the calls to include. May be an inline function. While somebody subscribes to a group with a filter, its calls stay in
   * memory, also when they have ended and are more than the 200 that a client keeps.
   *
   * @default every call
   */
  filter?: ((call: ToolCallState) => boolean) | undefined
}

/** Oldest first. */
export function byStart(calls: readonly ToolCallState[]): readonly ToolCallState[] {
  return [...calls].sort((a, b) => a.startedAt - b.startedAt)
}

/** The previous array where it has the same members, so that a list keeps its identity while nothing in it changes. */
export function keepSame<T extends readonly unknown[]>(previous: T | undefined, next: T): T {
  return previous?.length === next.length && previous.every((member, at) => member === next[at]) ? previous : next
}

/** What many calls have come to, the calls in the order in which they are given. */
export function groupOf(calls: readonly ToolCallState[]): ToolCallGroupState {
  const counts = { running: 0, completed: 0, failed: 0, cancelled: 0 }
  let progress = 0
  for (const call of calls) {
    const kind = kindOf(call)
    counts[kind] += 1
    progress += kind === 'running' ? partOf(call.progress) : 1
  }
  return { calls, ...counts, progress: { progress, total: calls.length } }
}

/** Asks the server to stop those of the calls that run. */
export function cancelCalls(clients: readonly TaskClient[], calls: readonly ToolCallState[]): Promise<void> {
  return ignoreRejection(cancelEach(clients, calls))
}

async function cancelEach(clients: readonly TaskClient[], calls: readonly ToolCallState[]): Promise<void> {
  const running = calls.filter((call) => kindOf(call) === 'running')
  const asked = running.map(({ callId }) =>
    clients
      .find((client) => client.getToolCallState(callId))
      ?.getToolCall(callId)
      ?.cancel(),
  )
  const refused = (await Promise.allSettled(asked)).find(({ status }) => status === 'rejected')
  if (refused !== undefined) throw (refused as PromiseRejectedResult).reason
}

/**
 * Keeps the calls of a group in memory once they have ended: a client drops the oldest that nobody listens to, and a batch would seem to
 * shrink. Returns a function that takes the calls which are to be kept from now on.
 */
export function holdCalls(): (clients: readonly TaskClient[], calls: readonly ToolCallState[]) => void {
  let held = new Map<string, () => void>()
  return (clients, calls) => {
    const before = held
    held = new Map()
    for (const { callId } of calls) {
      const release = before.get(callId)
      before.delete(callId)
      held.set(callId, release ?? listenTo(clients, callId))
    }
    for (const release of before.values()) release()
  }
}

function listenTo(clients: readonly TaskClient[], callId: string): () => void {
  const client = clients.find((one) => one.getToolCallState(callId) !== undefined)
  return client?.subscribeToolCall(callId, () => {}) ?? (() => {})
}

export function createToolCallGroup(client: TaskClient, { filter }: ToolCallsFilter = {}): ToolCallGroup {
  const matches = filter ?? (() => true)
  let state = groupOf([])
  function getState(): ToolCallGroupState {
    const calls = keepSame(state.calls, byStart(Object.values(client.store.getState().calls).filter(matches)))
    if (calls !== state.calls) state = groupOf(calls)
    return state
  }
  return {
    getState,
    subscribe: (listener) => {
      let seen = getState()
      const hold = filter === undefined ? () => {} : holdCalls()
      hold([client], seen.calls)
      const unsubscribe = client.store.subscribe(() => {
        if (getState() === seen) return
        seen = state
        hold([client], seen.calls)
        listener(seen)
      })
      return () => {
        unsubscribe()
        hold([], [])
      }
    },
    cancelAll: () => cancelCalls([client], getState().calls),
  }
}

function kindOf(call: ToolCallState): 'running' | 'completed' | 'failed' | 'cancelled' {
  switch (call.phase) {
    case 'completed':
      return call.result.isError ? 'failed' : 'completed'
    case 'failed':
    case 'cancelled':
      return call.phase
    case 'ended':
      // Its outcome is not known yet, and its record says no more.
      return call.task?.status === 'failed' || call.task?.status === 'cancelled' ? call.task.status : 'completed'
    case 'calling':
    case 'working':
    case 'input_required':
      return 'running'
  }
}

/** Between 0 and 1. */
function partOf({ progress = 0, total }: Partial<TaskProgress> = {}): number {
  return total ? Math.min(Math.max(progress / total, 0), 1) : 0
}
