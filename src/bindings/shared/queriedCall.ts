import type { TaskClient } from '../../core/client/taskClient.js'
import { type ClearedQueryClient, clearWhenForgotten } from '../query/clearWhenForgotten.js'
import { keyedCallId } from '../query/keyedCallId.js'
import type { QueryClientOfCalls } from '../query/queryOfCall.js'
import {
  type AnyToolCallQueryOptions,
  type ToolCallQuery,
  toolCallKey,
  toolCallQuery,
} from '../query/toolCallQueryOptions.js'
import { followNewerCall } from './followNewerCall.js'
import { retryCall } from './retryCall.js'

/** The call that a query stands for. Its members are read again each time, so that a framework can track it. */
export interface QueriedCall {
  /** Undefined while the call is skipped. */
  callId(): string | undefined
  /** On a server it is disabled, where some bindings fetch what they render. */
  query(): ToolCallQuery<unknown>
  retry(): void
  /** To be called in a component that is mounted. Returns a function that ends it. */
  followNewer(): () => void
}

export function queriedCall(
  client: () => TaskClient,
  options: () => AnyToolCallQueryOptions,
  queryClient: QueryClientOfCalls & ClearedQueryClient,
  isServer: boolean,
): QueriedCall {
  const key = () => toolCallKey(options())
  return {
    callId: () => keyedCallId(client(), { name: options().name, key: key() }),
    query() {
      if (!isServer) clearWhenForgotten(client(), queryClient)
      const query = toolCallQuery(client(), options())
      // `skipToken` is that of the binding's own copy of TanStack Query.
      return (isServer ? { ...query, enabled: false } : query) as ToolCallQuery<unknown>
    },
    retry: () => retryCall(queryClient, client(), options().name, key()),
    followNewer: () => followNewerCall(queryClient, client(), options().name, key()),
  }
}
