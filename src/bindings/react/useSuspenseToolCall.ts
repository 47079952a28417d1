import type { SkipToken, UseSuspenseQueryResult } from '@tanstack/react-query'
import type { StandardSchemaV1 } from '../../core/client/standardSchema.js'
import type { AnyTools, RegisteredTools, ToolArguments, ToolName, WithArguments } from '../../core/client/tools.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { isLeftBehind } from '../query/heldCall.js'
import { keyedCallId } from '../query/keyedCallId.js'
import type { FetchedQuery, FetchReason } from '../query/queryOfCall.js'
import { noteSuspending } from '../query/suspendingQueries.js'
import {
  type AnyToolCallQueryOptions,
  type ToolCallQueryBase,
  toolCallKey,
  toolCallQuery,
} from '../query/toolCallQueryOptions.js'
import type { ToolOutputOf } from '../query/toolOutput.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientOptions } from '../shared/clients.js'
import { extendResult } from '../shared/extendResult.js'
import type { OnSettled } from '../shared/onSettled.js'
import type { ToolCallControls } from '../shared/toolCallControls.js'
import { isServer, useQueryClient, useQueryErrorResetBoundary, useSuspenseQuery } from './reactQuery.js'
import { useQueriedCall } from './useQueriedCall.js'
import { useClient } from './useTaskClient.js'
import { useThrowing } from './useThrowing.js'

/** What tells Next.js that the error is meant: without, it ends `next build`. `reason` is for its own message. */
const NEXT_BAILOUT = { digest: 'BAILOUT_TO_CLIENT_SIDE_RENDERING', reason: 'useSuspenseToolCall()' }

/** The options of {@link useSuspenseToolCall}. They have no way to hold the call back. */
export type UseSuspenseToolCallOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
> = ToolCallQueryBase<T, Name, S, TData> & WithArguments<ToolArguments<T, Name>> & UseTaskClientOptions<T> & OnSettled

/** The return value of {@link useSuspenseToolCall}. */
export type UseSuspenseToolCallResult<TData> = UseSuspenseQueryResult<TData, Error> &
  ToolCallControls & {
    /** Calls the tool again, and shows the current outcome until there is a new one. */
    retry: () => void
  }

/**
 * Like `useToolCall`, but it suspends until there is a result. To show progress meanwhile, read the call with
 * `useToolCallState` or `useToolCalls` in the fallback. An error goes to the error boundary, and so does the `AbortError` of
 * a call that is forgotten while the fallback shows. After a reset of the `QueryErrorResetBoundary` of TanStack Query, the
 * hook calls the tool again.
 *
 * During server rendering, the hook does not call the tool. It throws, so that React sends the fallback of the nearest
 * Suspense boundary and renders the component in the browser.
 */
export function useSuspenseToolCall<
  T = RegisteredTools,
  Name extends ToolName<T> = ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
>(options: UseSuspenseToolCallOptions<T, Name, S, TData>): UseSuspenseToolCallResult<TData>
export function useSuspenseToolCall(
  options: AnyToolCallQueryOptions & UseTaskClientOptions<AnyTools> & OnSettled,
): UseSuspenseToolCallResult<unknown> {
  if (isServer) {
    const error = new TaskConfigurationError(
      'A tool is not called during server rendering. Wrap the component in <Suspense>; it renders in the browser.',
    )
    throw Object.assign(error, NEXT_BAILOUT)
  }
  const client = useClient(checkedOptions('useSuspenseToolCall', options))
  const isReset = useQueryErrorResetBoundary().isReset()
  const { queryFn, enabled: _, ...query } = toolCallQuery(client, options, { isReset })
  const known: FetchedQuery | undefined = useQueryClient().getQueryCache().find({ queryKey: query.queryKey })
  const callId = keyedCallId(client, { name: options.name, key: toolCallKey(options) })
  // The app may have had it prefetched. Where the component suspends, no effect is run.
  if (known !== undefined && callId !== undefined) noteSuspending(client, callId, known)
  const suspenseQuery = { ...query, retryOnMount: true, queryFn: queryFn as Exclude<typeof queryFn, SkipToken> }
  const call = callId === undefined ? undefined : client.getToolCallState(callId)
  if (!isReset && known !== undefined && call !== undefined && isLeftBehind(known, client, call))
    known.fetch(suspenseQuery, { meta: { reason: 'newer' satisfies FetchReason } }).catch(() => {})
  const result = useThrowing(useSuspenseQuery<unknown>, suspenseQuery)
  return extendResult(result, useQueriedCall(client, options))
}
