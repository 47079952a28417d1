import { useMemo } from 'react'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientsOptions } from '../shared/clients.js'
import { isAsking, type PendingInputRequest, pendingInputRequests } from '../shared/pendingInputRequests.js'
import { useCallsOf } from './useCallsOf.js'
import { useTaskClients } from './useTaskClient.js'

/**
 * Every input request that waits for the user, from all calls of one client or of several, including those of earlier
 * visits and of other tabs. An input request stays listed until the server has accepted its response, so that a form keyed
 * by `callId` and `inputKey` keeps the user's input. The array keeps its identity as long as the calls with input requests
 * keep theirs.
 *
 * @example
 * ```tsx
 * const [input] = useInputRequests()
 * if (input?.request.method === 'elicitation/create') {
 *   return <Approval text={input.request.params.message} onRespond={input.respond} />
 * }
 * ```
 */
export function useInputRequests(options: UseTaskClientsOptions = {}): readonly PendingInputRequest[] {
  const clients = useTaskClients(checkedOptions('useInputRequests', options))
  const calls = useCallsOf(clients, isAsking)
  return useMemo(() => pendingInputRequests(clients, calls), [clients, calls])
}
