import type { SkipToken, UseSuspenseQueryResult } from '@tanstack/react-query'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import { type ToolCallQueryOptions, toolCallKey, toolCallQuery } from '../query/toolCallQueryOptions.js'
import type { ToolOutputOf } from '../query/toolOutput.js'
import { extendResult } from './extendResult.js'
import { isServer, useQueryErrorResetBoundary, useSuspenseQuery } from './reactQuery.js'
import { useTaskClient } from './TaskClientProvider.js'
import { useRetry } from './useRetry.js'
import { type ToolCallControls, useToolCallControls } from './useToolCallControls.js'

/** What tells Next.js that the error is meant: without, it ends `next build`. `reason` is for its own message. */
const NEXT_BAILOUT = { digest: 'BAILOUT_TO_CLIENT_SIDE_RENDERING', reason: 'useSuspenseToolCall()' }

/** What {@link useSuspenseToolCall} is given: a call that is made without condition. */
export type UseSuspenseToolCallOptions<S extends StandardSchemaV1 | undefined = undefined> = Omit<
  ToolCallQueryOptions<S>,
  'arguments'
> & {
  arguments?: Exclude<ToolCallQueryOptions['arguments'], SkipToken>
}

/** What {@link useSuspenseToolCall} returns. */
export type UseSuspenseToolCallResult<TData> = UseSuspenseQueryResult<TData, Error> &
  ToolCallControls & {
    /** Calls the tool again, while the outcome at hand is shown. */
    retry: () => void
  }

/**
 * As `useToolCall`, suspending until there is a result. To show progress meanwhile, read the call with
 * `useToolCallState` or `useToolCalls` in the fallback. An error goes to the error boundary, and the tool is called
 * again once the `QueryErrorResetBoundary` of TanStack Query has been reset.
 *
 * On a server nothing is called: the component throws there, which makes React send the fallback of the
 * nearest Suspense boundary and render in the browser.
 */
export function useSuspenseToolCall<S extends StandardSchemaV1 | undefined = undefined>(
  params: UseSuspenseToolCallOptions<S>,
): UseSuspenseToolCallResult<ToolOutputOf<S>> {
  if (isServer) {
    const error = new TaskConfigurationError(
      'A tool is not called during server rendering. Wrap the component in <Suspense>; it renders in the browser.',
    )
    throw Object.assign(error, NEXT_BAILOUT)
  }
  const client = useTaskClient()
  const isReset = useQueryErrorResetBoundary().isReset()
  const { queryFn, enabled: _, ...options } = toolCallQuery(client, params, isReset)
  const query = useSuspenseQuery({
    ...options,
    retryOnMount: true,
    queryFn: queryFn as Exclude<typeof queryFn, SkipToken>,
  })
  const key = toolCallKey(params)
  const callId = key === undefined ? undefined : client.toolCallId(params.name, key)
  return extendResult(query, { ...useToolCallControls(client, callId), retry: useRetry(client, params.name, key) })
}
