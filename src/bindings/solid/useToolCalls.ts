import { type Accessor, createMemo } from 'solid-js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { byStart, keepSame } from '../../core/client/toolCallGroup.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { callsOf, NO_CALLS, watchCalls } from '../shared/callsOf.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseToolCallsOptions } from '../shared/toolCallOptions.js'
import { createSubscription } from './createSubscription.js'
import { useClients } from './useTaskClient.js'

/**
 * Every call of one client or of several, including those of earlier visits, oldest first. The array keeps its identity
 * as long as its members keep theirs.
 *
 * @example
 * ```tsx
 * const running = useToolCalls(() => ({ filter: (call) => call.phase === 'working' }))
 * return <p>{running().length} running</p>
 * ```
 */
export function useToolCalls(options: Accessor<UseToolCallsOptions> = () => ({})): Accessor<readonly ToolCallState[]> {
  const read = () => checkedOptions('useToolCalls', options())
  const calls = createCallsOf(useClients(read), (call) => options().filter?.(call) ?? true)
  return createMemo(() => byStart(calls()))
}

/** The calls of several clients that pass the filter. The array keeps its identity while its members do. */
export function createCallsOf(
  clients: Accessor<readonly TaskClient[]>,
  filter: (call: ToolCallState) => boolean,
  isHeld?: (call: ToolCallState) => boolean,
): Accessor<readonly ToolCallState[]> {
  const sameClients = createMemo<readonly TaskClient[]>((previous) => keepSame(previous, clients()))
  const all = createSubscription(
    (listener) => watchCalls(sameClients(), listener, isHeld),
    () => callsOf(sameClients()),
    NO_CALLS,
  )
  return createMemo<readonly ToolCallState[]>((previous) => keepSame(previous, all().filter(filter)))
}
