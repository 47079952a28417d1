import type { StandardSchemaV1 } from '../../core/client/standardSchema.js'
import type { ToolCallsFilter } from '../../core/client/toolCallGroup.js'
import type { ToolName } from '../../core/client/tools.js'
import type { ToolCallMutationOptions } from '../query/toolCallMutationOptions.js'
import type { UseTaskClientOptions, UseTaskClientsOptions } from './clients.js'
import type { OnSettled } from './onSettled.js'

/** The members of a call's query, beside {@link ToolCallControls}. */
export interface ToolCallRetry {
  /**
   * Calls the tool again: what a button beside an error does, a `ToolCallInterruptedError` above all. Pressed
   * while a call runs, it changes nothing.
   */
  readonly retry: () => void
}

/**
 * The options of `useToolCallMutation`. With a key, `call`, `data`, `error` and `status` are those of the newest call of that
 * key: after a reload of the one that is known, also if it has ended, and of one that another tab makes. Without a key they are
 * those of this component's calls.
 */
export type UseToolCallMutationOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
> = ToolCallMutationOptions<T, Name, S> & UseTaskClientOptions<T> & OnSettled

/** The members of a call behind a button, beside {@link ToolCallControls}. */
export interface ToolCallMutationRetry {
  /**
   * Calls the tool again with the arguments of the last `mutate`. Undefined until this page has called it: arguments
   * are not stored, so after a reload it takes a `mutate`.
   */
  readonly retry: (() => void) | undefined
}

/** The options of `useToolCallState`. */
export interface UseToolCallStateOptions<T = unknown> extends UseTaskClientOptions<T> {
  /** As `call.callId` and `client.toolCallId()` have it; undefined: none. */
  callId: string | undefined
}

/** The options of `useToolCalls`. */
export interface UseToolCallsOptions extends UseTaskClientsOptions, ToolCallsFilter {}
