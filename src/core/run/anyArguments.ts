import { warnInDevelopment } from '../environment/warn.js'

/**
 * An option of a call whose key is that of a query: the call of that key counts, whatever its arguments were. Apps get a
 * `ToolCallKeyConflictError`.
 */
export const ANY_ARGUMENTS: unique symbol = Symbol('taskwire.anyArguments')

export interface AnyArguments {
  readonly [ANY_ARGUMENTS]?: boolean
}

/** Warns a developer who shows the call of a key although its arguments were other ones. */
export function warnOfOtherArguments(name: string, key: string | undefined): void {
  warnInDevelopment(
    `[taskwire] "${name}" is shown with the key ${JSON.stringify(key)} and other arguments than the call of that key has. ` +
      'The component shows the known call. Put what differs into the key, or leave the key out: it is then made from the arguments.',
  )
}
