import { isJsonObject } from '../protocol/json.js'
import { hash } from './hash.js'

/**
 * Stands for the arguments of a call where these must not be stored: the same for the same arguments, in whatever order
 * they are written. It keeps nothing secret: of few possible arguments, a reader can try each.
 *
 * @throws what `JSON.stringify` throws, where they are no JSON.
 */
export function argumentsHash(args: object | undefined): string {
  return hash(JSON.stringify(args ?? {}, sortKeys))
}

function sortKeys(_key: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, value[name]]))
}

/** True where both are known and differ. Nothing is known of a task that the app has named, or of an earlier version's record. */
export function isOtherHash(known: string | undefined, hash: string | undefined): boolean {
  return known !== undefined && hash !== undefined && known !== hash
}
