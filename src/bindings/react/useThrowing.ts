import type { TaskClient } from '../../core/client/taskClient.js'
import { noteThrown } from '../query/thrownErrors.js'

/** Calls a hook of TanStack Query, and notes where it throws the error of the call. It throws a promise to suspend. */
export function useThrowing<TOptions, TResult>(
  client: TaskClient,
  callId: string | undefined,
  hook: (options: TOptions) => TResult,
  options: TOptions,
): TResult {
  try {
    return hook(options)
  } catch (thrown) {
    if (callId !== undefined && thrown instanceof Error) noteThrown(client, callId)
    throw thrown
  }
}
