import type { ToolCallState } from '../../core/record/toolCallState.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientsOptions } from '../shared/clients.js'
import { isAsking, type PendingInputRequest, pendingInputRequests } from '../shared/pendingInputRequests.js'
import type { ReactiveValue } from './reactive.js'
import { clientsOf } from './useTaskClient.js'
import { callsIn } from './useToolCalls.js'

/**
 * Every input request that waits for the user, from all calls of one client or of several, including those of earlier
 * visits and of other tabs. An input request stays listed until the server has accepted its response, so that a form keyed
 * by `callId` and `inputKey` keeps the user's input.
 *
 * @example
 * ```svelte
 * <script>
 *   const inputRequests = useInputRequests()
 * </script>
 * {#each inputRequests.current as input (input.callId + input.inputKey)}
 *   <Approval request={input.request} onrespond={input.respond} />
 * {/each}
 * ```
 */
export function useInputRequests(
  options: () => UseTaskClientsOptions = () => ({}),
): ReactiveValue<readonly PendingInputRequest[]> {
  const clients = clientsOf(() => checkedOptions('useInputRequests', options()))
  const asking = callsIn(clients, isAsking)
  let calls: readonly ToolCallState[] | undefined
  let pending: readonly PendingInputRequest[] = []
  return {
    get current() {
      if (calls !== asking.current) {
        calls = asking.current
        pending = pendingInputRequests(clients(), calls)
      }
      return pending
    },
  }
}
