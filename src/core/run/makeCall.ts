import { asError } from '../protocol/asError.js'
import { PageOutdatedError, TaskCancelledError } from '../protocol/errors.js'
import { isTerminal, pickTask } from '../protocol/task.js'
import type { ToolCallRequest } from '../protocol/taskPort.js'
import { asFound } from '../record/call.js'
import { planStart, type Wish } from '../record/planStart.js'
import { type CallRecord, newTaskRecord } from '../record/record.js'
import { NO_LOCK, type TabLock } from '../tabs/tabs.js'
import { backoffDelay, pollInterval } from '../time/policy.js'
import { untilOnline } from '../time/untilOnline.js'
import { changeCall } from './changes.js'
import { type CallEntry, LOCK_LOST, TOLD } from './entries.js'
import { attachToTask } from './following.js'
import { failureOf, followFound } from './pageCalls.js'
import { readRecord } from './readRecord.js'
import { refuseOther } from './refuseOther.js'
import { isCancelling, resumeCancel } from './requests.js'
import { now, type Run } from './run.js'
import { sendCall } from './send.js'
import { settle } from './settle.js'
import { tell } from './showing.js'

/** How a call is started. */
export interface MakeOptions {
  readonly wish: Wish
  /** `meta` of its `ToolCallRequest`. */
  readonly meta: ToolCallRequest['meta']
  /** The task that this page knows to be lost, where its record may still say that it is at work. */
  readonly lostTaskId: string | undefined
}

/**
 * Makes a call, unless another page has made it, and leads it to its task or its outcome.
 *
 * ```text
 * lock ▶ write intent ▶ tools/call ▶ result ─────────────────────────────▶ remove record ▶ settled
 *                             └────▶ task ▶ write record ▶ poll … terminal ▶ keep record, if it has a key ▶ settled
 * a page that goes away leaves:      intent: interrupted   record: followed again
 *                                    or sent again, where the server knows its key
 * another tab with the same key:     waits for the lock, receives the task or the outcome, or finds the record. This tab posts an outcome
 *                                    without a task 100 ms before it releases the lock (MESSAGE_DELAY_MS in tabs/tabs.ts). If this tab
 *                                    is gone by then, the other one finds what it has left, as a later visit does
 * a frozen process loses the lock:   waits for it again, and finds the record, or sends its own request again under its key
 * ```
 *
 * What an abort of `entry.abort` ends: see `CallEntry`. `losses`: how often it has lost its lock; `sent`: the call as it was sent before that.
 */
export async function makeCall(
  run: Run,
  entry: CallEntry,
  start: MakeOptions,
  losses = 0,
  sent?: CallRecord,
): Promise<void> {
  const { environment, rules } = run
  const controller = new AbortController()
  const { signal } = controller
  let locking: Promise<TabLock> = Promise.resolve(NO_LOCK)
  entry.abort = controller
  try {
    // The caller has the handle before the first event, and may cancel the call by it.
    await undefined
    signal.throwIfAborted()
    if (!isWaiting(entry)) return
    if (losses > 0) {
      const dueAt = environment.now() + backoffDelay(losses, rules.policy, environment.random())
      await untilOnline({ environment, signal, dueAt })
    }
    const { callId, key } = entry.call
    locking = run.tabs.lock(`call:${callId}`, signal)
    locking.catch(() => {})
    // Without a key no other page makes the call. It need not wait: the lock only says to those that find the intent that it is under way.
    const lock = key === undefined ? NO_LOCK : await locking
    // Another tab may have told of its task or outcome while this one waited.
    if (!isWaiting(entry)) return
    const found = key === undefined || start.wish === 'call-again' ? undefined : await readRecord(run, callId, signal)
    if (!isWaiting(entry)) return
    const intent = await takeFound(run, entry, found, start, signal)
    if (intent === 'taken') return
    // Who had the lock meanwhile may have had the result, and left no record: under the same key the tool does not run again.
    const before = intent ?? sent
    if (before !== undefined) changeCall(run, entry, (call) => ({ ...call, sent: 'repeated' }))
    if (isCancelling(entry)) throw new TaskCancelledError(undefined, { callId })
    const response = await sendCall(run, entry, start, {
      ...{ controller, lock, before },
      onSend: (record) => {
        sent = record
      },
    })
    if ((entry.call.stage.name as string) === 'left') return
    if (response.type === 'result') return await settle(run, entry, { result: response.result })
    const task = pickTask(response.task)
    const at = now(run)
    // Born terminal, its result can be fetched; else the first poll is one interval away.
    const earliestAt = isTerminal(task.status) ? at : at + pollInterval(task.pollIntervalMs, rules.policy)
    const record = newTaskRecord(task, run.port.era(), at, earliestAt)
    const cancelling = { isWanted: isCancelling(entry), isTaken: false, at }
    await attachToTask(run, entry, cancelling.isWanted ? { ...record, cancelling } : record, 'unwritten')
    if (entry.task !== undefined) tell(run, entry.task)
    if (signal.aborted) resumeCancel(run, entry, true)
  } catch (error) {
    // Told, forgotten or started again while it waited: whoever did that has settled it.
    const isOver = entry.task !== undefined || signal.reason === TOLD || signal.reason === LOCK_LOST
    // What another version has recorded is for the other tabs to read.
    if (!isOver) await settle(run, entry, { error: asError(error) }, error instanceof PageOutdatedError)
  } finally {
    if (entry.abort === controller) entry.abort = undefined
    void locking.then(
      ({ release }) => release(),
      () => {},
    )
  }
  if (signal.reason === LOCK_LOST) await makeCall(run, entry, start, losses + 1, sent)
}

function isWaiting({ call }: CallEntry): boolean {
  return call.stage.name === 'waiting'
}

/**
 * Goes on with what another page has made of the call. Returns the intent to send again, `taken` where there is nothing to send, and
 * undefined where the call is to be made.
 */
async function takeFound(
  run: Run,
  entry: CallEntry,
  found: CallRecord | undefined,
  { wish, lostTaskId }: MakeOptions,
  signal: AbortSignal,
): Promise<CallRecord | 'taken' | undefined> {
  if (found === undefined) return undefined
  const { argumentsHash } = entry.call
  const record = found.task?.task.taskId === lostTaskId ? asLost(found) : found
  const isUnkeyedIntent = !record.task && !record.idempotencyKey && !record.isCancelled
  const isRepeatable = isUnkeyedIntent && wish === 'call' && (await askIsRepeatable(run, entry, signal))
  if (!isWaiting(entry)) return 'taken'
  const plan = planStart(record, { wish, isRepeatable, argumentsHash: entry.takesAny ? undefined : argumentsHash })
  if (plan === 'call') return undefined
  if (refuseOther(run, entry, found, 'there')) return 'taken'
  if (plan === 'follow') followFound(run, entry, record, 'there')
  else changeCall(run, entry, (call) => asFound(call, found))
  if (plan === 'repeat') return found
  if (plan !== 'follow') await settle(run, entry, { error: failureOf(record) }, true, record.task?.task)
  return 'taken'
}

/** Asks as soon as there is a connection; where the call is to be cancelled, at once or not at all. */
async function askIsRepeatable(run: Run, entry: CallEntry, signal: AbortSignal): Promise<boolean> {
  const { name, stage } = entry.call
  if (stage.name !== 'waiting' || stage.isCancelling) return run.port.isRepeatable(name)
  changeCall(run, entry, (call) => ({ ...call, stage: { ...stage, for: 'tools' } }))
  const isRepeatable = await run.port.isRepeatable(name, signal)
  signal.throwIfAborted()
  return isRepeatable
}

/** The record still says that the task is at work; only this page knows that the server has lost it. */
function asLost(found: CallRecord): CallRecord {
  const { task } = found
  return task === undefined
    ? found
    : { ...found, task: { ...task, lost: task.lost ?? { at: task.notedAt, reason: 'unknown-task' } } }
}
