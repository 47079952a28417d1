import { noteThrown } from '../query/thrownErrors.js'

/** Calls a hook of TanStack Query, and notes the error of a call that it throws. It throws a promise to suspend. */
export function useThrowing<TOptions, TResult>(hook: (options: TOptions) => TResult, options: TOptions): TResult {
  try {
    return hook(options)
  } catch (thrown) {
    if (thrown instanceof Error) noteThrown(thrown)
    throw thrown
  }
}
