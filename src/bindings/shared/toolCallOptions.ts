import type { StandardSchemaV1 } from '../../core/client/standardSchema.js'
import type { ToolCallsFilter } from '../../core/client/toolCallGroup.js'
import type { ToolName } from '../../core/client/tools.js'
import type { ToolCallMutationOptions } from '../query/toolCallMutationOptions.js'
import type { UseTaskClientOptions, UseTaskClientsOptions } from './clients.js'
import type { OnSettled } from './onSettled.js'

/** The members of a call's query, in addition to {@link ToolCallControls}. */
export interface ToolCallRetry {
  /**
   * Calls the tool again, for instance from a button next to an error such as `ToolCallInterruptedError`. Does nothing
   * while a call is running.
   */
  readonly retry: () => void
}

/**
 * The options of `useToolCallMutation`. With a key, `call`, `data`, `error` and `status` describe the newest call with that
 * key, also after a reload, and also if another tab made the call. Without a key, they describe the calls of this
 * component. `reset()` removes the outcome from the result until there is a newer call; the call itself continues.
 */
export type UseToolCallMutationOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
> = ToolCallMutationOptions<T, Name, S> & UseTaskClientOptions<T> & OnSettled

/** The members of a call behind a button, in addition to {@link ToolCallControls}. */
export interface ToolCallMutationRetry {
  /**
   * Calls the tool again with the arguments of the last `mutate`. Undefined until this page has called `mutate`: arguments
   * are not stored, so they are unknown after a reload.
   */
  readonly retry: (() => void) | undefined
}

/** The options of `useToolCallState`. */
export interface UseToolCallStateOptions<T = unknown> extends UseTaskClientOptions<T> {
  /** The id of the call, from `call.callId` or `client.toolCallId()`. If it is undefined, the hook shows no call. */
  callId: string | undefined
}

/** The options of `useToolCalls`. */
export interface UseToolCallsOptions extends UseTaskClientsOptions, ToolCallsFilter {}
