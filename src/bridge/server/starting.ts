import type { TaskClient, ToolCallOptions } from '../../core/client/taskClient.js'
import { ToolCallKeyConflictError } from '../../core/protocol/errors.js'
import { argumentsHash, isOtherHash } from '../../core/record/argumentsHash.js'
import { isSettled, type ToolCallState } from '../../core/record/toolCallState.js'
import { ANY_ARGUMENTS, type AnyArguments, STARTED_FOR, type StartedFor } from '../../core/run/keys.js'
import type { PageAction } from '../wire/messages.js'
import { callOf } from './finding.js'
import type { ArrivedRequest } from './parseRequest.js'
import { LATE_MS } from './untilKnown.js'

type StartAction = Extract<PageAction, { type: 'start' }>

/** What came of a start. */
interface Started {
  readonly startedAt: number
  readonly isNew: boolean
  /** Why it was refused, where that is found out later: another process may have made the call. */
  readonly refusal: () => Error | undefined
}

/** Calls the tool, or joins the call of that key, as the client does for a page of its own. */
export async function start(client: TaskClient, action: StartAction, request: ArrivedRequest): Promise<Started> {
  const { name, key, arguments: args, meta, repeat, takesAny = false } = action
  const callId = client.toolCallId(name, key)
  const before = client.getToolCallState(callId)
  const isMade = before !== undefined && isMadeBy(action, request, before, callOf(client, callId)?.startedFor)
  // Of an earlier life: gone on with, it is the same run. While it is looked for, it would look like another one.
  if (before?.phase === 'ended' && repeat === 'never') client.getToolCall(callId)
  const how: ToolCallOptions & AnyArguments & StartedFor = {
    key,
    repeat: isMade ? 'never' : repeat,
    ...(meta && { meta }),
    ...(takesAny && { [ANY_ARGUMENTS]: true }),
    [STARTED_FOR]: request.id,
  }
  const call = client.startToolCall({ name, ...(args && { arguments: args }) }, how)
  let refusal: unknown
  call.result.catch((error: unknown) => {
    refusal = error
  })
  await Promise.resolve()
  const after = client.getToolCallState(callId)
  if (refusal instanceof ToolCallKeyConflictError || after === undefined) throw refusal
  const isNew = before === undefined || before.startedAt !== after.startedAt || (isSettled(before) && !isSettled(after))
  const ofOther = () => {
    const { error } = call.getState()
    return error instanceof ToolCallKeyConflictError ? error : undefined
  }
  return { startedAt: after.startedAt, isNew, refusal: ofOther }
}

/**
 * True for a call that this very action has made, or joined, sent before: the backend has been started again since, or another process has taken
 * it. A call that another start has made is known by its time. The page did not know of it, and it is not from before the page has sent the
 * action. One with other arguments is another device's: the first attempt may not have come.
 *
 * ```text
 * page       start ─ lost ──────────── start, again: ageMs
 * process A        joins ▪
 * process B                              looks for a call from at most LATE_MS before the first start: it is that call
 * ```
 */
function isMadeBy(
  { seen, ageMs = Number.POSITIVE_INFINITY, arguments: args }: StartAction,
  { id, isRepeated = false, cameAt }: ArrivedRequest,
  call: ToolCallState,
  startedFor: string | undefined,
) {
  if (!isRepeated || isOtherHash(call.arguments && argumentsHash(call.arguments), argumentsHash(args))) return false
  return startedFor === id || (call.startedAt !== seen && call.startedAt >= cameAt - ageMs - LATE_MS)
}
