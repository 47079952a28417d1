import type { Environment } from '../environment/environment.js'
import {
  ConnectionFailedError,
  PageOutdatedError,
  TaskProtocolError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import type { RecordStore } from '../storage/recordStore.js'
import type { CallRules } from './call.js'
import type { CallEntry } from './callEntry.js'
import { type RecordOwner, recordOf } from './callRecord.js'
import type { CallRuntime } from './callRuntime.js'
import { backoffDelay } from './pollPolicy.js'
import { MAX_VIOLATIONS } from './pollSchedule.js'
import type { TaskPort, ToolCallResponse } from './taskPort.js'
import { untilOnline } from './untilOnline.js'

export interface SendContext {
  readonly runtime: Pick<CallRuntime, 'dispatch' | 'ask'>
  readonly port: Pick<TaskPort, 'callTool'>
  readonly environment: Environment
  readonly records: Pick<RecordStore, 'write' | 'isNewer'>
  readonly owner: RecordOwner
  readonly rules: Pick<CallRules, 'policy'>
}

/**
 * Sends a `tools/call`: once, or until it is answered where the server knows by a key that it came before.
 *
 * ```text
 * write intent ▶ tools/call, key 1 ─╳ backoff, offline ▶ tools/call, key 1 ▶ what became of the first
 * ```
 *
 * @param idempotencyKey That of a call which an earlier page has sent. It is never sent without.
 * @throws {ToolCallInterruptedError} where the call may have reached the server, and nobody can tell.
 */
export async function sendCall(
  entry: CallEntry,
  context: SendContext,
  signal: AbortSignal,
  idempotencyKey?: string,
): Promise<ToolCallResponse> {
  const { runtime, port, environment, records, owner, rules } = context
  const { policy } = rules
  const { callId, name, arguments: args } = entry.call
  let key = idempotencyKey
  let canRepeat = key !== undefined
  let dueAt = environment.now()
  let giveUpAt = Number.POSITIVE_INFINITY
  let violations = 0

  async function beforeSend(keyTtlMs: number): Promise<string | undefined> {
    if (entry.left !== undefined) return undefined
    const now = environment.now()
    // The server may have forgotten the call, or be another one by now.
    canRepeat = keyTtlMs > 0 && (key === undefined || Math.abs(now - entry.call.startedAt) < keyTtlMs)
    if (key !== undefined && !canRepeat) throw new ToolCallInterruptedError(name, { callId })
    if (canRepeat) key ??= environment.randomId()
    entry.isSent = true
    const record = { ...recordOf(entry.call, owner, now), ...(key !== undefined && { idempotencyKey: key }) }
    if ((await records.write(record)) || !(await records.isNewer(callId))) return key
    entry.isSent = false
    throw new PageOutdatedError(name, { callId })
  }

  for (let failures = 1; ; failures++) {
    // Offline, the call can wait.
    await untilOnline({
      environment,
      signal,
      dueAt,
      onOffline: () => runtime.dispatch(entry, { type: 'waiting', for: 'network' }),
    })
    if (failures === 1) giveUpAt = environment.now() + policy.callTimeoutMs
    runtime.dispatch(entry, { type: 'sending' })
    try {
      return await port.callTool(
        { name, ...(args && { arguments: args }), meta: entry.meta },
        {
          beforeSend,
          ask: (inputKey, request, abort) => runtime.ask(entry, inputKey, request, abort),
          onProgress: (progress) => runtime.dispatch(entry, { type: 'progress', progress }),
          signal,
        },
      )
    } catch (error) {
      violations = error instanceof TaskProtocolError ? violations + 1 : 0
      const isOver = !canRepeat || signal.aborted || violations >= MAX_VIOLATIONS
      if (isOver || !isUnanswered(error, entry.isRepeated)) throw error
      entry.isRepeated = true
      const now = environment.now()
      const { retryAfterMs: asked = 0 } = Object(error.cause) as { retryAfterMs?: number }
      if (failures >= policy.maxAttempts || now + asked >= giveUpAt) throw interrupted(error, name, callId)
      runtime.dispatch(entry, { type: 'call-failed', error })
      dueAt = now + Math.max(policy.minIntervalMs, asked, backoffDelay(failures, policy, environment.random()))
    }
  }
}

/** True if nothing is known of the call. Of a repetition, that it did not get through says nothing of the one before. */
function isUnanswered(error: unknown, isRepeated: boolean | undefined): error is Error {
  if (error instanceof ToolCallInterruptedError || error instanceof TaskProtocolError) return true
  if (!isRepeated) return false
  return error instanceof ConnectionFailedError || (error instanceof ToolCallRejectedError && error.code === TOO_MANY)
}

const TOO_MANY = 429

function interrupted(cause: Error, name: string, callId: string): Error {
  return cause instanceof ToolCallInterruptedError ? cause : new ToolCallInterruptedError(name, { callId, cause })
}
