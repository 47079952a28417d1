import { TaskExpiredError, ToolCallKeyConflictError } from '../protocol/errors.js'
import type { ToolCallMeta } from '../protocol/register.js'
import type { ToolCallRequest } from '../protocol/taskPort.js'
import { argumentsHash as hashOf, isOtherHash } from '../record/argumentsHash.js'
import { type Call, settledBy } from '../record/call.js'
import type { Wish } from '../record/planStart.js'
import { ANY_ARGUMENTS, type AnyArguments } from './anyArguments.js'
import { toolCallId } from './callIds.js'
import { type CallEntry, createCallEntry } from './entries.js'
import type { CallHandle } from './handle.js'
import { isReusable, type Repeat } from './isReusable.js'
import type { PageCalls } from './pageCalls.js'
import { type StartContext, startCall } from './start.js'

/** How a call is made: see `ToolCallOptions` of the client. */
export interface StartOptions extends AnyArguments {
  readonly key?: string | undefined
  readonly repeat?: Repeat | undefined
  readonly signal?: AbortSignal | undefined
  readonly meta?: ToolCallMeta | undefined
  readonly keepResult?: number | undefined
}

/** What the client has to do with a call that is started. */
export interface StartHooks {
  /** Called with each call while the app starts it. */
  readonly prepareMeta: (call: { readonly callId: string; readonly name: string }) => ToolCallRequest['meta']
}

/** What the ways to begin a call share. */
export interface Context extends StartContext {
  readonly calls: PageCalls
  readonly handle: (entry: CallEntry, detaching?: AbortSignal) => CallHandle
  /** Aborted when the client is closed. */
  readonly signal: AbortSignal
}

const WISH: Record<Repeat, Wish> = { never: 'call', settled: 'call-if-settled', always: 'call-again' }

export function start(
  { name, arguments: args }: ToolCallRequest,
  { key, repeat = 'never', signal: detaching, meta, keepResult, [ANY_ARGUMENTS]: takesAny = false }: StartOptions,
  context: Context,
  { prepareMeta }: StartHooks,
): CallHandle {
  const { run, calls, handle, signal } = context
  const callId = key === undefined ? run.environment.randomId() : toolCallId(run.owner, name, key)
  const known = run.calls.get(callId)
  const argumentsHash = key === undefined ? undefined : hashOf(args)
  const call = calls.newCall(callId, name, { key, arguments: args, argumentsHash, meta, keepResult })
  if (detaching?.aborted) return refuse(call, detaching.reason, context)
  if (known !== undefined && isKnown(known, repeat)) {
    const isConflict = !takesAny && isOtherHash(known.call.argumentsHash, argumentsHash)
    return handle(
      known,
      isConflict ? AbortSignal.abort(new ToolCallKeyConflictError(name, { callId, key })) : detaching,
    )
  }
  if (signal.aborted) return refuse(call, signal.reason, context)
  const isLost = known?.shown.error instanceof TaskExpiredError
  const wish = WISH[repeat]
  const entry = calls.begin({ ...call, stage: { name: 'waiting', for: 'lock', wish, isCancelling: false } })
  entry.lostTaskId = isLost ? known.shown.task?.taskId : undefined
  entry.takesAny = takesAny
  entry.requestMeta = prepareMeta({ callId, name })
  const started = handle(entry, detaching)
  entry.started = startCall(entry, wish, context)
  return started
}

function isKnown({ call, shown }: CallEntry, repeat: Repeat): boolean {
  const { stage } = call
  if (stage.name === 'recorded' || (stage.name === 'settled' && stage.canRepeat)) return false
  return isReusable(shown, repeat)
}

/** A call that is not made, and is in no store. */
export function refuse(call: Call, reason: unknown, { run, handle }: Context): CallHandle {
  const error = reason instanceof Error ? reason : new Error(String(reason))
  const entry = createCallEntry({ ...call, stage: settledBy({ error }, run.environment.now()) })
  entry.reject(reason)
  return handle(entry)
}
