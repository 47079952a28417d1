/**
 * TanStack's result with more members. Those of the result stay getters: reading one is what tells
 * TanStack to render when it changes, and a plain copy would read them all.
 */
export function extendResult<TResult extends object, TMembers extends object>(
  result: TResult,
  members: TMembers,
): TResult & TMembers {
  const extended = { ...members }
  for (const name of Object.keys(result)) {
    Object.defineProperty(extended, name, { get: () => result[name as keyof TResult], enumerable: true })
  }
  return extended as TResult & TMembers
}
