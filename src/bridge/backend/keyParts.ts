/**
 * Splits the key of a record after its last colon. The part before it is the same for all records of one user, the rest is the id of
 * the call. So the records of a user are found without those of others.
 */
export function keyParts(key: string): { readonly group: string; readonly rest: string } {
  const end = key.lastIndexOf(':') + 1
  return { group: key.slice(0, end), rest: key.slice(end) }
}

/** The group that holds all keys with this prefix; undefined where several may. */
export function groupOf(prefix: string): string | undefined {
  return prefix.endsWith(':') ? prefix : undefined
}
