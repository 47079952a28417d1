import { inDevelopment } from '../environment/inDevelopment.js'
import { ToolCallKeyConflictError } from '../protocol/errors.js'
import { isOtherHash } from '../record/argumentsHash.js'
import { settledBy } from '../record/call.js'
import { type CallRecord, isOver } from '../record/record.js'
import { warnOfOtherArguments } from './anyArguments.js'
import { type CallEntry, TOLD } from './entries.js'
import type { PageCalls } from './pageCalls.js'
import type { Runner } from './runner.js'

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
