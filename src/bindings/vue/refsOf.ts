import { type ComputedRef, computed } from 'vue'

/** The members of an object, as refs. */
export type RefsOf<T> = { readonly [Member in keyof T]-?: ComputedRef<T[Member]> }

/** A ref for each of the members that `like` has, of what `read` returns. */
export function refsOf<T extends object>(like: T, read: () => T): RefsOf<T> {
  const members = Object.keys(like).map((name) => [name, computed(() => read()[name as keyof T])])
  return Object.fromEntries(members) as RefsOf<T>
}
