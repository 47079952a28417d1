import { asError } from '../protocol/asError.js'
import {
  ConnectionFailedError,
  PageOutdatedError,
  TaskCancelledError,
  TaskExpiredError,
  TaskProtocolError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import { isTerminal, pickTask } from '../protocol/task.js'
import type { ToolCallResponse } from '../protocol/taskPort.js'
import { asFound } from '../record/call.js'
import { MAX_VIOLATIONS } from '../record/failed.js'
import { NO_INPUTS } from '../record/inputs.js'
import { planStart, type Wish } from '../record/planStart.js'
import { type CallRecord, newTaskRecord } from '../record/record.js'
import { backoffDelay, pollInterval } from '../time/policy.js'
import { untilOnline } from '../time/untilOnline.js'
import { type CallEntry, TOLD } from './entries.js'
import { type ConflictContext, refuseOther } from './keys.js'
import type { TaskRequests } from './requests.js'
import type { Runner } from './runner.js'
import type { Settling } from './settle.js'

export interface StartContext extends Pick<TaskRequests, 'resumeCancel'>, Pick<Settling, 'settle'> {
  readonly calls: ConflictContext['calls']
  readonly run: Runner
  /** Reads what another page has left of a call. */
  readonly readFound: (callId: string) => Promise<CallRecord | undefined>
  readonly ask: (
    entry: CallEntry,
    inputKey: string,
    request: InputRequest,
    signal: AbortSignal,
  ) => Promise<InputResponse>
}

/**
 * Makes a call, unless another page has made it, and leads it to its task or its outcome.
 *
 * ```text
 * lock ▶ write intent ▶ tools/call ▶ result ─────────────────────────────▶ remove record ▶ settled
 *                             └────▶ task ▶ write record ▶ poll … terminal ▶ keep record  ▶ settled
 * a page that goes away leaves:      intent: interrupted   record: followed again
 *                                    or sent again, where the server knows its key
 * another tab with the same key:     waits for the lock, is told of the task or the outcome, or finds the record
 * ```
 */
export async function startCall(entry: CallEntry, wish: Wish, context: StartContext): Promise<void> {
  const { run, settle } = context
  const controller = new AbortController()
  let unlock = () => {}
  entry.starting = controller
  try {
    // The caller has the handle before the first event, and may cancel the call by it.
    await undefined
    controller.signal.throwIfAborted()
    if (!isWaiting(entry)) return
    const { callId, key } = entry.call
    if (key !== undefined) unlock = await run.tabs.lock(`call:${callId}`, controller.signal)
    // Another tab may have told of its task or outcome while this one waited.
    if (!isWaiting(entry)) return
    const found = key === undefined || wish === 'call-again' ? undefined : await context.readFound(callId)
    if (!isWaiting(entry)) return
    const intent = await takeFound(entry, found, wish, context)
    if (intent === 'taken') return
    if (isCancelling(entry)) throw new TaskCancelledError(undefined, { callId })
    await makeCall(entry, intent && { ...intent, wish }, context, controller.signal)
  } catch (error) {
    // Told, forgotten or started again while it waited: whoever did that has settled it.
    const isOver = entry.task !== undefined || (controller.signal.aborted && controller.signal.reason === TOLD)
    // What another version has recorded is for the other tabs to read.
    if (!isOver) await settle(entry, { error: asError(error) }, error instanceof PageOutdatedError)
  } finally {
    if (entry.starting === controller) entry.starting = undefined
    unlock()
  }
}

function isWaiting({ call }: CallEntry): boolean {
  return call.stage.name === 'waiting'
}

function isCancelling({ call: { stage } }: CallEntry): boolean {
  return stage.name === 'waiting' && stage.isCancelling
}

/** Goes on with what another page has made of the call. Returns the intent to send again, or nothing to make the call. */
async function takeFound(
  entry: CallEntry,
  found: CallRecord | undefined,
  wish: Wish,
  { run, calls, settle }: StartContext,
): Promise<CallRecord | 'taken' | undefined> {
  if (found === undefined) return undefined
  const { callId, name, argumentsHash } = entry.call
  const record = found.task?.task.taskId === entry.lostTaskId ? asLost(found) : found
  const isUnkeyedIntent = record.task === undefined && record.idempotencyKey === undefined
  const isRepeatable = isUnkeyedIntent && wish === 'call' && (await run.port.isRepeatable(name))
  if (!isWaiting(entry)) return 'taken'
  const plan = planStart(record, { wish, isRepeatable, argumentsHash: entry.takesAny ? undefined : argumentsHash })
  if (plan === 'call') return undefined
  if (refuseOther(entry, found, { run, calls })) return 'taken'
  if (plan === 'follow') {
    calls.adopt(entry, record)
    return 'taken'
  }
  run.change(entry, (call) => ({ ...asFound(call, found), ...(plan === 'repeat' && { sent: 'repeated' }) }))
  if (plan === 'repeat') return found
  const { task } = record
  if (task === undefined || plan === 'interrupted') throw new ToolCallInterruptedError(name, { callId })
  const error = new TaskExpiredError(task.lost?.reason ?? 'unknown-task', { taskId: task.task.taskId, callId })
  await settle(entry, { error }, true, task.task)
  return 'taken'
}

/** The record still says that the task is at work; only this page knows that the server has lost it. */
function asLost(found: CallRecord): CallRecord {
  const { task } = found
  return task === undefined
    ? found
    : { ...found, task: { ...task, lost: task.lost ?? { at: task.notedAt, reason: 'unknown-task' } } }
}

/** A call that an earlier page has sent, and what the app wants of it now. */
interface SentBefore extends CallRecord {
  readonly wish: Wish
}

async function makeCall(
  entry: CallEntry,
  intent: SentBefore | undefined,
  { run, settle, resumeCancel, ask }: StartContext,
  signal: AbortSignal,
): Promise<void> {
  const response = await sendCall(entry, { run, ask }, signal, intent)
  if (entry.call.stage.name === 'left') return
  if (response.type === 'result') return settle(entry, { result: response.result })
  const { policy } = run.rules
  const task = pickTask(response.task)
  const now = run.now()
  // Born terminal, its result can be fetched; else the first poll is one interval away.
  const earliestAt = isTerminal(task.status) ? now : now + pollInterval(task.pollIntervalMs, policy)
  run.attach(entry, newTaskRecord(task, run.port.era, now, earliestAt), 'created')
  await entry.written
  if (entry.task !== undefined) run.tell(entry.task)
  resumeCancel(entry, signal.aborted)
}

/**
 * Sends a `tools/call`: once, or until it is answered where the server knows by a key that it came before.
 *
 * ```text
 * write intent ▶ tools/call, key 1 ─╳ backoff, offline ▶ tools/call, key 1 ▶ what became of the first
 * ```
 *
 * @param before The call which an earlier page has sent. It is sent again under its key, or made again if that is wanted.
 * @throws {ToolCallInterruptedError} if the call may have reached the server, and nobody can tell.
 */
async function sendCall(
  entry: CallEntry,
  { run, ask }: Pick<StartContext, 'run' | 'ask'>,
  signal: AbortSignal,
  before?: SentBefore,
): Promise<ToolCallResponse> {
  const { port, environment, records, rules } = run
  const { policy } = rules
  const { callId, name, arguments: args } = entry.call
  let key = before?.idempotencyKey
  let canRepeat = key !== undefined
  let isSentHere = false
  let dueAt = environment.now()
  let giveUpAt = Number.POSITIVE_INFINITY
  let violations = 0

  async function beforeSend(keyTtlMs: number): Promise<string | undefined> {
    if (entry.call.stage.name === 'left') return undefined
    // The server may have forgotten the call, or be another one by now.
    canRepeat = keyTtlMs > 0 && (key === undefined || Math.abs(run.now() - entry.call.startedAt) < keyTtlMs)
    if (key !== undefined && !canRepeat) {
      const isWanted = !isSentHere && (before?.wish === 'call-if-settled' || (await port.isRepeatable(name)))
      if (!isWanted) throw new ToolCallInterruptedError(name, { callId })
      key = undefined
      canRepeat = keyTtlMs > 0
      run.change(entry, (call, now) => ({ ...call, startedAt: now, sent: 'no' }))
    }
    isSentHere = true
    if (canRepeat) key ??= environment.randomId()
    const { sent } = entry.call
    run.change(entry, (call) => ({ ...call, sent: call.sent === 'no' ? 'once' : call.sent }))
    const record = { ...run.recordOf(entry), idempotencyKey: key }
    if ((await records.write(record)) || !(await records.isNewer(callId))) return key
    run.change(entry, (call) => ({ ...call, sent }))
    throw new PageOutdatedError(name, { callId })
  }

  for (let failures = 1; ; failures++) {
    // Offline, the call can wait.
    await untilOnline({ environment, signal, dueAt, onOffline: () => setOffline(run, entry, true) })
    if (failures === 1) giveUpAt = environment.now() + policy.callTimeoutMs
    setOffline(run, entry, false)
    try {
      return await port.callTool(
        { name, ...(args && { arguments: args }), meta: entry.requestMeta },
        {
          beforeSend,
          ask: (inputKey, request, abort) => ask(entry, inputKey, request, abort),
          onProgress: (progress) => run.change(entry, (call, now) => ({ ...call, progress, progressAt: now })),
          signal,
        },
      )
    } catch (error) {
      violations = error instanceof TaskProtocolError ? violations + 1 : 0
      const isOver = !canRepeat || signal.aborted || violations >= MAX_VIOLATIONS
      if (isOver || !isUnanswered(error, entry.call.sent === 'repeated')) throw error
      const now = environment.now()
      const { retryAfterMs: asked = 0 } = Object(error.cause) as { retryAfterMs?: number }
      run.change(entry, (call) => failedOnce({ ...call, sent: 'repeated' }, error))
      if (failures >= policy.maxAttempts || now + asked >= giveUpAt) throw interrupted(error, name, callId)
      dueAt = now + Math.max(policy.minIntervalMs, asked, backoffDelay(failures, policy, environment.random()))
    }
  }
}

/** The call waits for the network, or goes out. */
function setOffline(run: Runner, entry: CallEntry, isOffline: boolean): void {
  run.change(
    entry,
    (call) => {
      const { stage } = call
      if (stage.name === 'calling') return { ...call, stage: { ...stage, isOffline } }
      if (stage.name !== 'waiting') return call
      if (isOffline) return { ...call, stage: { ...stage, for: 'network' } }
      return { ...call, stage: { name: 'calling', inputs: NO_INPUTS, failure: undefined, isOffline: false } }
    },
    isOffline ? 'call' : 'sent',
  )
}

function failedOnce(call: CallEntry['call'], error: Error): CallEntry['call'] {
  const { stage } = call
  if (stage.name !== 'calling') return call
  const failure = { error, count: (stage.failure?.count ?? 0) + 1 }
  return { ...call, stage: { name: 'calling', inputs: NO_INPUTS, failure, isOffline: false } }
}

/** True if nothing is known of the call. If a repetition cannot connect, the first attempt may still have arrived. */
function isUnanswered(error: unknown, isRepeated: boolean): error is Error {
  if (error instanceof ToolCallInterruptedError || error instanceof TaskProtocolError) return true
  if (!isRepeated) return false
  return error instanceof ConnectionFailedError || (error instanceof ToolCallRejectedError && error.code === TOO_MANY)
}

const TOO_MANY = 429

function interrupted(cause: Error, name: string, callId: string): Error {
  return cause instanceof ToolCallInterruptedError ? cause : new ToolCallInterruptedError(name, { callId, cause })
}
