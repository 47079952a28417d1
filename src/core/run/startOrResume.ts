import { inDevelopment } from '../environment/inDevelopment.js'
import { asError } from '../protocol/asError.js'
import { TaskConfigurationError, TaskExpiredError, ToolCallKeyConflictError } from '../protocol/errors.js'
import type { ToolCallMeta } from '../protocol/register.js'
import type { ToolCallRequest } from '../protocol/taskPort.js'
import { argumentsHash as hashOf, isOtherHash } from '../record/argumentsHash.js'
import { type Call, recordOf, settledBy } from '../record/call.js'
import { planStart, type Wish } from '../record/planStart.js'
import { type CallRecord, isOver, newTaskRecord } from '../record/record.js'
import { isSettled } from '../record/toolCallState.js'
import { NO_LOCK } from '../tabs/tabs.js'
import { catchUpListed } from './catchUp.js'
import { changeCall } from './changes.js'
import { type CallEntry, createCallEntry } from './entries.js'
import { isForgotten } from './forgottenTimes.js'
import { type CallHandle, createHandle } from './handle.js'
import { ANY_ARGUMENTS, type AnyArguments, STARTED_FOR, type StartedFor, taskCallId, toolCallId } from './keys.js'
import { makeCall } from './makeCall.js'
import { findTask, isMadeAgain, isReusable, MAX_SETTLED, newCall, putCall, putFound, type Repeat } from './pageCalls.js'
import { readRecord, untilRead } from './readRecord.js'
import type { Run } from './run.js'

/** How a call is made: see `ToolCallOptions` of the client. */
export interface StartOptions extends AnyArguments, StartedFor {
  readonly key?: string | undefined
  readonly repeat?: Repeat | undefined
  readonly signal?: AbortSignal | undefined
  readonly meta?: ToolCallMeta | undefined
  readonly keepResult?: number | undefined
}

const WISH: Record<Repeat, Wish> = { never: 'call', settled: 'call-if-settled', always: 'call-again' }

/**
 * Starts a call, or continues the call that has its key. With `repeat: 'never'`:
 *
 * ```text
 * it runs in this page                 a handle on the same call; with other arguments one that rejects (`ToolCallKeyConflictError`)
 * it has settled in this page          the same, unless calling again cannot run the tool twice (`isReusable` in pageCalls.ts)
 * another tab makes it, or has         waits for the lock of the key, then follows its task, or takes its outcome (makeCall.ts);
 *                                      calls the tool if the other tab has had a result without a task before this one waited: no record says so
 * a page before a reload has made it   what its record means: planStart.ts
 * ```
 *
 * With `settled` the tool is called again once the call has settled, with `always` in any case. Without a key each is another call.
 */
export function startToolCall(run: Run, { name, arguments: args }: ToolCallRequest, options: StartOptions): CallHandle {
  const { key, repeat = 'never', signal: detaching, meta, keepResult } = options
  const { [ANY_ARGUMENTS]: takesAny = false, [STARTED_FOR]: startedFor } = options
  const callId = key === undefined ? run.environment.randomId() : toolCallId(run.owner, name, key)
  const known = run.calls.get(callId)
  const argumentsHash = key === undefined ? undefined : hashOf(args)
  const call = newCall(run, callId, name, { key, arguments: args, argumentsHash, meta, keepResult, startedFor })
  if (detaching?.aborted) return refuse(run, call, detaching)
  if (known !== undefined && isKnown(known, repeat)) {
    const isConflict = !takesAny && isOtherHash(known.call.argumentsHash, argumentsHash)
    const conflict = isConflict && AbortSignal.abort(new ToolCallKeyConflictError(name, { callId, key }))
    return createHandle(run, known, true, conflict || detaching)
  }
  if (run.closing.signal.aborted) return refuse(run, call, run.closing.signal)
  const wish = WISH[repeat]
  const entry = putCall(run, { ...call, stage: { name: 'waiting', for: 'lock', wish, isCancelling: false } })
  const isLost = known?.shown.error instanceof TaskExpiredError
  const lostTaskId = isLost ? known.shown.task?.taskId : undefined
  entry.takesAny = takesAny
  const requestMeta = run.prepareMeta({ callId, name })
  const handle = createHandle(run, entry, true, detaching)
  entry.started = makeCall(run, entry, { wish, meta: requestMeta, lostTaskId })
  return handle
}

/** True where the call in this page counts. Of one that ended in an earlier visit, or can be sent again under its key, the record does. */
function isKnown({ call: { stage }, shown }: CallEntry, repeat: Repeat): boolean {
  const isOver = stage.name === 'recorded' || (stage.name === 'settled' && stage.canRepeat)
  return !isOver && isReusable(shown, repeat)
}

/** A call that is not made, and is in no store. */
function refuse(run: Run, call: Call, { reason }: AbortSignal): CallHandle {
  const entry = createCallEntry({ ...call, stage: settledBy({ error: asError(reason) }, run.environment.now()) })
  entry.reject(reason)
  return createHandle(run, entry)
}

/** How a task that the app names is followed. */
export type ResumeOptions = Pick<StartOptions, 'signal' | 'key' | 'meta' | 'keepResult'>

export function resumeTask(
  run: Run,
  { taskId, name = '' }: { taskId: string; name?: string },
  { key, signal: detaching, meta, keepResult }: ResumeOptions,
): CallHandle {
  if (key !== undefined && name === '') {
    throw new TaskConfigurationError(
      `resumeTask with a key needs the name of the tool${inDevelopment ? ', which the key belongs to: pass { taskId, name }.' : '.'}`,
    )
  }
  const callId = key === undefined ? taskCallId(run.owner, taskId) : toolCallId(run.owner, name, key)
  const call = newCall(run, callId, name, { key, meta, keepResult })
  if (detaching?.aborted) return refuse(run, call, detaching)
  const known = findTask(run, taskId)
  const isWanted = key === undefined || known?.call.callId === callId
  if (known !== undefined && (isWanted || !isSettled(known.shown))) return createHandle(run, known, true, detaching)
  if (run.closing.signal.aborted) return refuse(run, call, run.closing.signal)
  const other = run.calls.get(callId)
  if (other !== undefined && !isSettled(other.shown) && other.call.stage.name !== 'recorded') {
    throw new TaskConfigurationError(
      `A call of "${name}" with the key ${JSON.stringify(key)} is running, and its task is another one.${inDevelopment ? ' Use another key, or forget() that call.' : ''}`,
    )
  }
  const task = { taskId, status: 'working' as const, createdAt: '', lastUpdatedAt: '', ttlMs: null }
  const now = run.environment.now()
  const record = recordOf(call, newTaskRecord(task, 'modern', now, now), run.owner)
  const entry = putFound(run, record, 'follow', 'assumed')
  run.tabs.post({ type: 'record', record })
  entry.started = noteResumed(run, entry, record)
  return createHandle(run, entry, true, detaching)
}

/**
 * Writes the record of a task that the app names: not over what an earlier page has noted of it, which counts here, too, nor
 * over another one that is at work.
 */
async function noteResumed(run: Run, entry: CallEntry, record: CallRecord): Promise<void> {
  const { records } = run
  const { callId, key, task } = record
  let isNew = false
  // Named after its task, a record can be of no other one.
  if (key !== undefined) {
    const found = (await records.read(callId))?.task
    if (run.calls.get(callId) !== entry) return
    const isGone = found === undefined || isOver(found)
    isNew = isGone && (found?.lost !== undefined || found?.task.taskId !== task?.task.taskId)
  }
  await (isNew ? records.write(record) : records.update(record))
  const noted = await records.read(callId)
  if (noted === undefined || noted.task?.task.taskId !== task?.task.taskId) return
  const { tool: name, meta, keepResult } = noted
  changeCall(run, entry, (call) => ({ ...call, name, meta, keepResult }))
}

/** The calls of earlier visits. What is followed of them is returned; the rest is listed in the store. */
export async function resumeToolCalls(run: Run, { callId }: { callId?: string } = {}): Promise<readonly CallHandle[]> {
  const { signal } = run.closing
  if (signal.aborted) return []
  run.tabs.open()
  if (callId !== undefined) {
    const found = await readRecord(run, callId, signal).catch(() => undefined)
    if (!isThere(run, found)) return []
    const known = knownCall(run, found)
    if (found.task === undefined && known === undefined) return resumeIntent(run, found)
    if (known !== undefined && isOfOther(known, found)) return []
    return [createHandle(run, known ?? openRecorded(run, found))]
  }
  const handles: CallHandle[] = []
  const resume = (records: readonly CallRecord[]) => {
    for (const record of records) if (isThere(run, record)) handles.push(...resumeRecord(run, record))
  }
  const found = await untilRead(run, () => run.records.list(resume), signal).catch(() => 'silent' as const)
  if (found === 'silent') return []
  const over = found.filter(
    (record) => record.task !== undefined && isOver(record.task) && !run.calls.has(record.callId),
  )
  resume(over.slice(-MAX_SETTLED))
  return signal.aborted ? [] : handles
}

/** True where there is something to resume: what was read may have been forgotten meanwhile. */
function isThere(run: Run, found: CallRecord | undefined): found is CallRecord {
  return !run.closing.signal.aborted && found !== undefined && !isForgotten(run, found.callId, found.startedAt)
}

/** The call as this page follows it, or as it has ended: not where that is only listed, or was made again in another tab. */
function knownCall(run: Run, found: CallRecord): CallEntry | undefined {
  const known = run.calls.get(found.callId)
  return known === undefined || known.call.stage.name === 'recorded' || isMadeAgain(known, found) ? undefined : known
}

/** True where the call waits for its turn here, and another process has one with other arguments. */
function isOfOther({ call: { stage, argumentsHash }, takesAny }: CallEntry, found: CallRecord): boolean {
  return stage.name === 'waiting' && !takesAny && isOtherHash(found.argumentsHash, argumentsHash)
}

function resumeRecord(run: Run, record: CallRecord): CallHandle[] {
  const { callId, held } = record
  if (held === 'working') run.tabs.post({ type: 'ask', callId })
  const known = knownCall(run, record)
  const plan = planStart(record, { wish: 'list', isRepeatable: false })
  if (plan === 'follow') return [createHandle(run, known ?? putFound(run, record, plan))]
  if (known !== undefined) return []
  if (plan === 'ended' || plan === 'lost') putFound(run, record, 'ended')
  // A call that was interrupted is listed once no other tab is waiting for its response.
  else if (held === undefined) void resumeIntent(run, record)
  return []
}

/** A call of an earlier visit: its outcome is fetched, unless the server has lost its task. */
function openRecorded(run: Run, record: CallRecord): CallEntry {
  return putFound(run, record, planStart(record, { wish: 'resume', isRepeatable: false }))
}

/** A `tools/call` went out and its response is not recorded: the page that was to get it is gone, or still waits for it. */
async function resumeIntent(run: Run, intent: CallRecord): Promise<readonly CallHandle[]> {
  const { callId, tool } = intent
  const { signal } = run.closing
  const isRepeatable = await run.port.isRepeatable(tool)
  if (planStart(intent, { wish: 'resume', isRepeatable }) === 'nothing') return []
  let lock = NO_LOCK
  try {
    lock = await run.tabs.lock(`call:${callId}`, signal)
    const found = await readRecord(run, callId, signal)
    return isThere(run, found) ? [createHandle(run, knownCall(run, found) ?? openRecorded(run, found))] : []
  } catch (error) {
    if (signal.aborted) return []
    throw error
  } finally {
    lock.release()
  }
}

/** A handle on a call that this page knows. An outcome is fetched only while something waits for it. */
export function handleOf(run: Run, callId: string): CallHandle | undefined {
  const entry = run.calls.get(callId)
  if (entry === undefined) return undefined
  const { stage } = entry.call
  if (stage.name !== 'recorded') return createHandle(run, entry, false)
  const opened = openRecorded(run, stage.record)
  void catchUpListed(run, opened)
  return createHandle(run, opened)
}
