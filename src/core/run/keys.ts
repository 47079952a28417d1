import { warnInDevelopment } from '../environment/warn.js'
import { hash } from '../record/hash.js'
import type { RecordOwner } from '../record/record.js'

/**
 * The id of the call with this key: the same in every page, so that a reload finds its record, and another one for each
 * server and scope, so that a list of several clients can be keyed by it.
 */
export function toolCallId({ endpoint, scope }: RecordOwner, name: string, key: string): string {
  return hash(JSON.stringify([endpoint, scope, name, key]))
}

/** The id of a call that is known by its task alone. The same in every page, and that of no key. */
export function taskCallId({ endpoint, scope }: RecordOwner, taskId: string): string {
  return hash(JSON.stringify({ endpoint, scope, taskId }))
}

/**
 * An option of a call whose key is that of a query: the call of that key counts, whatever its arguments were. Apps get a
 * `ToolCallKeyConflictError`.
 */
export const ANY_ARGUMENTS: unique symbol = Symbol('taskwire.anyArguments')

export interface AnyArguments {
  readonly [ANY_ARGUMENTS]?: boolean
}

/**
 * An option of a call: the id of the page's request that starts it. Its record carries it to the other processes of a backend, one of which may
 * know that this start was cancelled.
 */
export const STARTED_FOR: unique symbol = Symbol('taskwire.startedFor')

export interface StartedFor {
  readonly [STARTED_FOR]?: string
}

/** Warns a developer who shows the call of a key although its arguments were other ones. */
export function warnOfOtherArguments(name: string, key: string | undefined): void {
  warnInDevelopment(
    `[taskwire] "${name}" is shown with the key ${JSON.stringify(key)} and other arguments than the call of that key has. ` +
      'The component shows the known call. Put the difference into the key, or leave the key out: it is then made from the arguments.',
  )
}
