import { type Accessor, createMemo, mapArray } from 'solid-js'
import { keepSame } from '../../core/client/toolCallGroup.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientsOptions } from '../shared/clients.js'
import { getters } from '../shared/extendResult.js'
import { isAsking, type PendingInputRequest, pendingInputRequests } from '../shared/pendingInputRequests.js'
import { useClients } from './useTaskClient.js'
import { createCallsOf } from './useToolCalls.js'

/**
 * Every input request that waits for the user, from all calls of one client or of several, including those of earlier
 * visits and of other tabs. An input request stays listed until the server has accepted its response. It is the same object
 * until then, whose members change with its call: show the list with `<For>`, which keeps a form with its input request.
 *
 * @example
 * ```tsx
 * const inputRequests = useInputRequests()
 * return (
 *   <For each={inputRequests()}>
 *     {(pending) => <button onClick={() => pending.respond({ action: 'cancel' })}>Not now</button>}
 *   </For>
 * )
 * ```
 */
export function useInputRequests(
  options: Accessor<UseTaskClientsOptions> = () => ({}),
): Accessor<readonly PendingInputRequest[]> {
  const clients = useClients(() => checkedOptions('useInputRequests', options()))
  const calls = createCallsOf(clients, isAsking)
  const newest = createMemo(
    () => new Map(pendingInputRequests(clients(), calls()).map((each) => [`${each.callId} ${each.inputKey}`, each])),
  )
  const ids = createMemo<readonly string[]>((before) => keepSame(before, [...newest().keys()]))
  return createMemo(
    mapArray(ids, (id) => {
      const first = newest().get(id) as PendingInputRequest
      return getters(
        first,
        createMemo<PendingInputRequest>((last) => newest().get(id) ?? last, first),
      )
    }),
  )
}
