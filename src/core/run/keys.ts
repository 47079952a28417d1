import { inDevelopment } from '../environment/inDevelopment.js'
import { warnInDevelopment } from '../environment/warn.js'
import { ToolCallKeyConflictError } from '../protocol/errors.js'
import { isOtherHash } from '../record/argumentsHash.js'
import { settledBy } from '../record/call.js'
import { hash } from '../record/hash.js'
import { type CallRecord, isOver, type RecordOwner } from '../record/record.js'
import { type CallEntry, TOLD } from './entries.js'
import type { PageCalls } from './pageCalls.js'
import type { Runner } from './runner.js'

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

/** Warns a developer who shows the call of a key although its arguments were other ones. */
export function warnOfOtherArguments(name: string, key: string | undefined): void {
  warnInDevelopment(
    `[taskwire] "${name}" is shown with the key ${JSON.stringify(key)} and other arguments than the call of that key has. ` +
      'The component shows the known call. Put what differs into the key, or leave the key out: it is then made from the arguments.',
  )
}

export interface ConflictContext {
  readonly run: Runner
  readonly calls: Pick<PageCalls, 'drop' | 'list' | 'follow' | 'adopt'>
}

/**
 * Refuses a call where what was found under its key was made with other arguments, and must not pass for it. The found
 * call is followed or listed in its place. Returns true where it refused.
 */
export function refuseOther(entry: CallEntry, found: CallRecord, { run, calls }: ConflictContext): boolean {
  const { callId, name, key, argumentsHash } = entry.call
  if (!isOtherHash(found.argumentsHash, argumentsHash)) return false
  if (entry.takesAny) {
    inDevelopment?.(() => warnOfOtherArguments(name, key))
    return false
  }
  const error = new ToolCallKeyConflictError(name, { callId, key })
  entry.starting?.abort(TOLD)
  run.change(entry, (call, now) => ({ ...call, stage: settledBy({ error }, now) }))
  entry.reject(error)
  calls.drop(callId)
  const { task } = found
  if (task !== undefined && isOver(task)) calls.list(found)
  else if (task !== undefined && run.followsUnobserved) calls.follow(found)
  return true
}
