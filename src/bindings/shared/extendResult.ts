/**
 * TanStack's result with more members, which win over those of the result. Those of the result stay getters: reading one
 * is what tells TanStack to render when it changes, and a plain copy would read them all.
 */
export function extendResult<TResult extends object, TMembers extends object>(
  result: TResult,
  members: TMembers,
): TResult & TMembers {
  const extended = Object.defineProperties({}, Object.getOwnPropertyDescriptors(members))
  for (const name of Object.keys(result)) {
    if (!(name in extended)) {
      Object.defineProperty(extended, name, { get: () => result[name as keyof TResult], enumerable: true })
    }
  }
  return extended as TResult & TMembers
}

/** An object with the members that `like` has, which are read off what `read` returns each time. */
export function getters<T extends object>(like: T, read: () => T): T {
  const object = {}
  for (const name of Object.keys(like)) {
    Object.defineProperty(object, name, { get: () => read()[name as keyof T], enumerable: true })
  }
  return object as T
}
