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

/** An object whose members are read off another one each time. */
export function getters<T extends object, K extends keyof T>(names: readonly K[], read: () => T): Pick<T, K> {
  const object = {}
  for (const name of names) Object.defineProperty(object, name, { get: () => read()[name], enumerable: true })
  return object as Pick<T, K>
}
