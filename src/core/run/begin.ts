import { inDevelopment } from '../environment/inDevelopment.js'
import { TaskConfigurationError, TaskExpiredError, ToolCallKeyConflictError } from '../protocol/errors.js'
import type { ToolCallMeta } from '../protocol/register.js'
import type { ToolCallRequest } from '../protocol/taskPort.js'
import { argumentsHash as hashOf, isOtherHash } from '../record/argumentsHash.js'
import { type Call, recordOf, settledBy } from '../record/call.js'
import { planStart, type Wish } from '../record/planStart.js'
import { type CallRecord, isOver, newTaskRecord } from '../record/record.js'
import { isSettled } from '../record/toolCallState.js'
import { type CallEntry, createCallEntry } from './entries.js'
import type { CallHandle } from './handle.js'
import { ANY_ARGUMENTS, type AnyArguments, taskCallId, toolCallId } from './keys.js'
import { isReusable, MAX_SETTLED, type PageCalls, type Repeat } from './pageCalls.js'
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
function refuse(call: Call, reason: unknown, { run, handle }: Context): CallHandle {
  const error = reason instanceof Error ? reason : new Error(String(reason))
  const entry = createCallEntry({ ...call, stage: settledBy({ error }, run.environment.now()) })
  entry.reject(reason)
  return handle(entry)
}

/** How a task that the app names is followed. */
export type ResumeOptions = Pick<StartOptions, 'signal' | 'key' | 'meta' | 'keepResult'>

export function resumeTask(
  { taskId, name = '' }: { taskId: string; name?: string },
  { key, signal: detaching, meta, keepResult }: ResumeOptions,
  context: Context,
): CallHandle {
  const { run, calls, handle, signal } = context
  if (key !== undefined && name === '') {
    throw new TaskConfigurationError(
      `resumeTask with a key needs the name of the tool${inDevelopment ? ', which the key belongs to: pass { taskId, name }.' : '.'}`,
    )
  }
  const callId = key === undefined ? taskCallId(run.owner, taskId) : toolCallId(run.owner, name, key)
  const call = calls.newCall(callId, name, { key, meta, keepResult })
  if (detaching?.aborted) return refuse(call, detaching.reason, context)
  const known = calls.findTask(taskId)
  const isWanted = key === undefined || known?.call.callId === callId
  if (known !== undefined && (isWanted || !isSettled(known.shown))) return handle(known, detaching)
  if (signal.aborted) return refuse(call, signal.reason, context)
  const other = run.calls.get(callId)
  if (other !== undefined && !isSettled(other.shown) && other.call.stage.name !== 'recorded') {
    throw new TaskConfigurationError(
      `A call of "${name}" with the key ${JSON.stringify(key)} is running, and its task is another one.${inDevelopment ? ' Use another key, or forget() that call.' : ''}`,
    )
  }
  const task = { taskId, status: 'working' as const, createdAt: '', lastUpdatedAt: '', ttlMs: null }
  const now = run.environment.now()
  const record = { ...recordOf(call, newTaskRecord(task, 'modern', now, now), run.owner) }
  const entry = calls.follow(record)
  run.tabs.post({ type: 'record', record })
  void noteResumed(record, entry, context)
  return handle(entry, detaching)
}

/**
 * Writes the record of a task that the app names: not over what an earlier page has noted of it, nor over
 * another one that is at work.
 */
async function noteResumed(record: CallRecord, entry: CallEntry, { run }: Context): Promise<void> {
  const { records } = run
  // Named after its task, a record can be of no other one.
  if (record.key === undefined) return void records.update(record)
  const found = await records.read(record.callId)
  if (run.calls.get(record.callId) !== entry) return
  const isGone = found?.task === undefined || isOver(found.task)
  const isOther = found?.task?.lost !== undefined || found?.task?.task.taskId !== record.task?.task.taskId
  await (isGone && isOther ? records.write(record) : records.update(record))
}

export async function resumeToolCalls(
  { callId }: { callId?: string } = {},
  context: Context,
): Promise<readonly CallHandle[]> {
  const { run, calls, handle, signal } = context
  if (signal.aborted) return []
  run.tabs.open()
  if (callId !== undefined) {
    const found = await context.readFound(callId)
    if (signal.aborted || found === undefined) return []
    const known = run.calls.get(callId)
    if (found.task === undefined && known === undefined) return resumeIntent(found, context)
    const entry = known === undefined || known.call.stage.name === 'recorded' ? calls.open(found) : known
    return [handle(entry)]
  }
  const handles: CallHandle[] = []
  const resume = (records: readonly CallRecord[]) => {
    if (!signal.aborted) for (const record of records) handles.push(...resumeRecord(record, context))
  }
  const found = await run.records.list(resume)
  const over = found.filter(({ callId, task }) => task !== undefined && isOver(task) && !run.calls.has(callId))
  resume(over.slice(-MAX_SETTLED))
  return signal.aborted ? [] : handles
}

/** What is followed of a record that earlier pages have left; the rest is listed in the store. */
function resumeRecord(record: CallRecord, context: Context): CallHandle[] {
  const { run, calls, handle } = context
  const { callId, held, task } = record
  if (held === 'working') run.tabs.post({ type: 'ask', callId })
  const known = run.calls.get(callId)
  const plan = planStart(record, { wish: 'list', isRepeatable: false })
  if (plan === 'follow' && task !== undefined) {
    return [handle(known ?? calls.findTask(task.task.taskId) ?? calls.follow(record))]
  }
  if (known !== undefined) return []
  if (plan === 'ended' || plan === 'lost') calls.list(record)
  // A call that was interrupted is listed once no other tab is waiting for its response.
  else if (held === undefined) void resumeIntent(record, context)
  return []
}

/** A `tools/call` went out and its response is not recorded: the page that was to get it is gone, or still waits for it. */
async function resumeIntent(intent: CallRecord, context: Context): Promise<readonly CallHandle[]> {
  const { run, calls, handle, signal } = context
  const { callId, tool } = intent
  const isRepeatable = await run.port.isRepeatable(tool)
  if (planStart(intent, { wish: 'resume', isRepeatable }) === 'nothing') return []
  let unlock = () => {}
  try {
    unlock = await run.tabs.lock(`call:${callId}`, signal)
    const found = await run.records.read(callId)
    if (signal.aborted || found === undefined) return []
    const known = run.calls.get(callId)
    if (known !== undefined) return [handle(known)]
    switch (planStart(found, { wish: 'resume', isRepeatable: false })) {
      case 'follow':
      case 'lost':
        return [handle(calls.open(found))]
      case 'interrupted':
        return [handle(calls.interrupted(found))]
      default:
        return []
    }
  } catch (error) {
    if (signal.aborted) return []
    throw error
  } finally {
    unlock()
  }
}
