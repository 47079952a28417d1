import { inDevelopment } from '../../environment/inDevelopment.js'
import { ToolCallKeyConflictError } from '../../protocol/errors.js'
import { type CallRecord, isOver } from '../record/record.js'
import { isOtherHash } from '../storage/argumentsHash.js'
import { warnOfOtherArguments } from './anyArguments.js'
import type { CallEntry } from './entries.js'
import type { PageCalls } from './pageCalls.js'
import type { Runner } from './runner.js'

export interface ConflictContext {
  readonly run: Runner
  readonly calls: Pick<PageCalls, 'drop' | 'list' | 'follow'>
}

/**
 * True where what was found has other arguments than the call, and must not pass for it: the call is refused, and that of
 * its key goes on without it.
 */
export function isRefused(entry: CallEntry, found: CallRecord, { run, calls }: ConflictContext): boolean {
  const { callId, name, key, argumentsHash } = entry.call
  if (!isOtherHash(found.argumentsHash, argumentsHash)) return false
  if (entry.takesAny) {
    inDevelopment?.(() => warnOfOtherArguments(name, key))
    return false
  }
  const error = new ToolCallKeyConflictError(name, { callId, key })
  run.change(entry, (call, now) => ({
    ...call,
    stage: { name: 'settled', outcome: { error }, task: undefined, endedAt: now, canRepeat: false },
  }))
  entry.reject(error)
  calls.drop(callId)
  const { task } = found
  if (task !== undefined && isOver(task)) calls.list(found)
  else if (task !== undefined && run.followsUnobserved) calls.follow(found)
  return true
}
