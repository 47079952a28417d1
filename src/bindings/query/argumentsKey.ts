import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { argumentsHash } from '../../core/record/argumentsHash.js'

/**
 * The key of a call that was given none: the same for the same arguments, in whatever order they are
 * written. A hash, because keys are stored and arguments must not be.
 *
 * @throws {TaskConfigurationError} if they are no JSON.
 */
export function argumentsKey(args: object | undefined): string {
  try {
    return `args-${argumentsHash(args)}`
  } catch (cause) {
    throw new TaskConfigurationError(
      'The arguments of a tool call must be JSON: strings, numbers, booleans, null, lists and objects of them.',
      { cause },
    )
  }
}
