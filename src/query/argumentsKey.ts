import { TaskConfigurationError } from '../protocol/errors.js'
import { hash } from '../storage/hash.js'

/**
 * The key of a call that was given none: the same for the same arguments, in whatever order they are
 * written. A hash, because keys are stored and arguments must not be.
 *
 * @throws {TaskConfigurationError} where they are no JSON.
 */
export function argumentsKey(args: object | undefined): string {
  try {
    return `args-${hash(JSON.stringify(args ?? {}, sortKeys))}`
  } catch (cause) {
    throw new TaskConfigurationError(
      'The arguments of a tool call must be JSON: strings, numbers, booleans, null, lists and objects of them.',
      { cause },
    )
  }
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
