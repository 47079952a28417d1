import { inDevelopment } from '../environment/inDevelopment.js'
import { ToolCallKeyConflictError } from '../protocol/errors.js'
import { isOtherHash } from '../record/argumentsHash.js'
import { settledBy } from '../record/call.js'
import { type CallRecord, isOver } from '../record/record.js'
import { changeCall } from './changes.js'
import { type CallEntry, TOLD } from './entries.js'
import { warnOfOtherArguments } from './keys.js'
import { dropCall, putFound } from './pageCalls.js'
import type { Run } from './run.js'

/**
 * Refuses a call where what was found under its key was made with other arguments, and must not pass for it. The found
 * call is followed or listed in its place. Returns true where it refused.
 */
export function refuseOther(run: Run, entry: CallEntry, found: CallRecord, kept: 'there' | 'assumed'): boolean {
  const { callId, name, key, argumentsHash } = entry.call
  if (!isOtherHash(found.argumentsHash, argumentsHash)) return false
  if (entry.takesAny) {
    inDevelopment?.(() => warnOfOtherArguments(name, key))
    return false
  }
  const error = new ToolCallKeyConflictError(name, { callId, key })
  entry.abort?.abort(TOLD)
  changeCall(run, entry, (call, now) => ({ ...call, stage: settledBy({ error }, now) }))
  entry.reject(error)
  dropCall(run, callId)
  const { task } = found
  const isEnded = task !== undefined && isOver(task)
  if (isEnded || (task !== undefined && run.followsUnobserved)) putFound(run, found, isEnded ? 'ended' : 'follow', kept)
  return true
}
