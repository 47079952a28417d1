import { type ComputedRef, computed, type MaybeRefOrGetter, toValue } from 'vue'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientsOptions } from '../shared/clients.js'
import { isAsking, type PendingInputRequest, pendingInputRequests } from '../shared/pendingInputRequests.js'
import { useClients } from './useTaskClient.js'
import { useCallsOf } from './useToolCalls.js'

/**
 * Every input request that waits for the user, from all calls of one client or of several, including those of earlier
 * visits and of other tabs. An input request stays listed until the server has accepted its response, so that a form keyed
 * by `callId` and `inputKey` keeps the user's input.
 *
 * @example
 * ```ts
 * const inputRequests = useInputRequests()
 * const approve = () => inputRequests.value[0]?.respond({ action: 'accept', content: { ok: true } })
 * ```
 */
export function useInputRequests(
  options: MaybeRefOrGetter<UseTaskClientsOptions> = {},
): ComputedRef<readonly PendingInputRequest[]> {
  const clients = useClients(() => checkedOptions('useInputRequests', toValue(options)))
  const calls = useCallsOf(clients, isAsking)
  return computed(() => pendingInputRequests(clients(), calls.value))
}
