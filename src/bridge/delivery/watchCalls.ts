import type { TaskClient } from '../../core/client/taskClient.js'
import { ToolCallInterruptedError } from '../../core/protocol/errors.js'
import { isTerminal } from '../../core/protocol/task.js'
import { isSettled, type SettledToolCall, type ToolCallState } from '../../core/record/toolCallState.js'

export interface CallWatcher {
  /** A call runs that did not before: it was made, or found again. */
  readonly onRunning: (call: ToolCallState) => void
  readonly onSettled: (call: SettledToolCall) => void
  /** A call that ran is gone: it was forgotten, was refused, or is another process's or an earlier visit's call by now. */
  readonly onGone: (callId: string, startedAt: number) => void
  /** Called with the end of the client. */
  readonly onClosed: () => void
}

/** How many interrupted calls are remembered: a page sends one again soon, or never. */
const MAX_INTERRUPTED = 1000

/** Watches the calls of a client. Ends with the client. */
export function watchCalls(
  client: Pick<TaskClient, 'store' | 'onToolCallSettled' | 'onForgotten'>,
  { onRunning, onSettled, onGone, onClosed }: CallWatcher,
): void {
  /** When the calls that run were made, by their ids. */
  const running = new Map<string, number>()
  /** The same of interrupted calls. If a page sends such a call again, the call ends a second time, even if its task has already ended. */
  const interrupted = new Map<string, number>()

  function look(): void {
    const { calls, connection } = client.store.getState()
    if (connection.status === 'closed') {
      running.clear()
      return onClosed()
    }
    for (const [callId, startedAt] of running) if (calls[callId]?.startedAt !== startedAt) leave(callId, startedAt)
    for (const call of Object.values(calls)) {
      const { callId, startedAt } = call
      const isInterrupted = call.error instanceof ToolCallInterruptedError
      const isGoneOn = !isInterrupted && call.phase !== 'ended' && interrupted.get(callId) === startedAt
      if (isInterrupted) note(callId, startedAt)
      if (isGoneOn) interrupted.delete(callId)
      if (running.has(callId) || !(isGoneOn || isRunning(call))) continue
      running.set(callId, startedAt)
      onRunning(call)
    }
  }

  function note(callId: string, startedAt: number): void {
    interrupted.set(callId, startedAt)
    const [oldest] = interrupted.keys()
    if (interrupted.size > MAX_INTERRUPTED && oldest !== undefined) interrupted.delete(oldest)
  }

  function leave(callId: string, startedAt: number): void {
    running.delete(callId)
    onGone(callId, startedAt)
  }

  client.store.subscribe(look)
  client.onToolCallSettled((call) => {
    look()
    running.delete(call.callId)
    onSettled(call)
  })
  client.onForgotten((isForgotten) => {
    for (const [callId, startedAt] of running) {
      if (isForgotten(callId)) leave(callId, startedAt)
    }
  })
  look()
}

/** False also for a call that ended in an earlier visit, and whose outcome is being fetched. */
function isRunning(call: ToolCallState): boolean {
  return !isSettled(call) && call.phase !== 'ended' && !(call.task && isTerminal(call.task.status))
}
