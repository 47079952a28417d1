import {
  ConnectionFailedError,
  PageOutdatedError,
  TaskCancelledError,
  TaskProtocolError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import type { ToolCallResponse } from '../protocol/taskPort.js'
import type { Call } from '../record/call.js'
import { MAX_VIOLATIONS } from '../record/failed.js'
import { NO_INPUTS } from '../record/inputs.js'
import type { CallRecord } from '../record/record.js'
import { NO_LOCK, type TabLock } from '../tabs/tabs.js'
import { askedMs, retry } from '../time/retry.js'
import { untilOnline } from '../time/untilOnline.js'
import { changeCall } from './changes.js'
import { type CallEntry, LOCK_LOST, TOLD } from './entries.js'
import type { MakeOptions } from './makeCall.js'
import { isCancelling } from './requests.js'
import { now, type Run } from './run.js'
import { recordOfEntry } from './showing.js'
import type { Source } from './tap.js'

/** What a call is sent with. */
export interface Send {
  /** Aborted by whoever leaves the call, and with `LOCK_LOST` if it must not be sent. */
  readonly controller: AbortController
  readonly lock: TabLock
  /** The call as an earlier page has sent it, or this one. It is sent again under its key, or made again if that is wanted. */
  readonly before: CallRecord | undefined
  /** Called with the call as it goes out. */
  readonly onSend: (record: CallRecord) => void
}

/**
 * Sends a `tools/call`: once, or until it is answered where the server knows by a key that it came before.
 *
 * ```text
 * write intent ▶ tools/call, key 1 ─╳ backoff, offline ▶ tools/call, key 1 ▶ what became of the first
 * ```
 *
 * What is sent again where no response has come:
 *
 * ```text
 * tools/call                   never, but under the key of the first, which the server must know still; and by a later page, where
 *                              the tool says that calling it twice does no harm (`isRepeatable`), or the app has asked for that
 *                              (`repeat: 'settled'`, `'always'`: planStart.ts). The first one where it surely did not arrive: not either;
 *                              the call fails, and may be started again (`isReusable` in pageCalls.ts)
 * tasks/get                    by the next poll (record/failed.ts)
 * tasks/update, tasks/cancel   until the server has taken or refused it (`sendFor` in requests.ts)
 * subscriptions/listen         until a stream lasts (push.ts)
 * ```
 *
 * @throws {ToolCallInterruptedError} if the call may have reached the server, and nobody can tell.
 */
export async function sendCall(
  run: Run,
  entry: CallEntry,
  { wish, meta }: Pick<MakeOptions, 'wish' | 'meta'>,
  { controller, lock, before, onSend }: Send,
): Promise<ToolCallResponse> {
  const { signal } = controller
  const { port, environment, records, rules } = run
  const { policy } = rules
  const { callId, name, arguments: args } = entry.call
  let key = before?.idempotencyKey
  /** Since when the server may know the key, by `passed`; of one that an earlier page has made, when that page made the call. */
  let keyAt = entry.call.startedAt + run.setBackBy
  let canRepeat = key !== undefined
  let isSentHere = false
  let giveUpAt = Number.POSITIVE_INFINITY
  let violations = 0

  /**
   * A process that was frozen since the lock was granted sends nothing: another one may have made the call meanwhile. Nor does one
   * that could not note the call where the others have to find it. `sentBefore`: whether an earlier attempt was sent, which
   * counts where the call was cancelled meanwhile.
   */
  function checkLock(sentBefore: Call['sent'], isNoted = true): void {
    if (lock.isHeld() && isNoted) return
    showWaiting(run, entry, wish, signal.aborted ? sentBefore : 'no')
    controller.abort(LOCK_LOST)
    signal.throwIfAborted()
  }

  /**
   * Asks the other tabs whether one of them has made the call: the storage that refuses the record here may have refused it there, too.
   * If the user has cancelled the call meanwhile, this aborts `signal`.
   */
  async function askOthers(): Promise<void> {
    showWaiting(run, entry, wish, 'no')
    await run.readFound(run, callId, 'silent')
    if (signal.reason === TOLD) signal.throwIfAborted()
    if (isCancelling(entry)) controller.abort(new TaskCancelledError(undefined, { callId }))
    if (signal.aborted) return
    setOffline(run, entry, false, 'call')
    setSent('once')
  }

  const passed = () => now(run) + run.setBackBy
  const setSent = (sent: Call['sent']) => changeCall(run, entry, (call) => ({ ...call, sent }))

  /** Notes the intent, once nothing but the request is left to be done (`CallHooks`). Returns the key that the request carries. */
  async function beforeSend(keyTtlMs: number): Promise<string | undefined> {
    if (entry.call.stage.name === 'left') return undefined
    // The server may have forgotten the call, or be another one by now.
    canRepeat = keyTtlMs > 0 && (key === undefined || Math.abs(passed() - keyAt) < keyTtlMs)
    if (key !== undefined && !canRepeat) {
      const isWanted = !isSentHere && ((before && wish === 'call-if-settled') || (await port.isRepeatable(name)))
      if (!isWanted) throw new ToolCallInterruptedError(name, { callId })
      // Forgotten while the server was asked: its record must not come back.
      signal.throwIfAborted()
      key = undefined
      canRepeat = keyTtlMs > 0
      changeCall(run, entry, (call, startedAt) => ({ ...call, startedAt, sent: 'no' }))
    }
    const { sent } = entry.call
    checkLock(sent)
    isSentHere = true
    if (canRepeat && key === undefined) {
      key = environment.randomId()
      keyAt = passed()
    }
    if (sent === 'no') setSent('once')
    const record = { ...recordOfEntry(run, entry), idempotencyKey: key }
    let isWaiting = true
    const written = await records.write(record, () => isWaiting && lock.isHeld())
    isWaiting = false
    if (written === true) entry.kept = 'there'
    if (written === 'newer') {
      setSent(sent)
      throw new PageOutdatedError(name, { callId })
    }
    const mayBeElsewhere = lock !== NO_LOCK && wish !== 'call-again' && run.tabsShareStorage && !records.isShared
    if (written === false && mayBeElsewhere && sent === 'no' && !signal.aborted) await askOthers()
    if (!environment.isOnline()) {
      // The network went while the storage took its time: what is sent now would be lost, and count as interrupted.
      setOffline(run, entry, true)
      await untilOnline({ environment, signal }).catch(() => {})
      setOffline(run, entry, false, 'call')
    }
    checkLock(sent, written || lock === NO_LOCK || !records.isShared)
    if (signal.aborted && sent === 'no') {
      // Cancelled or left while the storage took its time: it is not sent, so no page is to take it for interrupted.
      setSent(sent)
      await records.remove(callId, record)
    }
    onSend(record)
    return key
  }

  return retry(
    { environment, policy, signal, onOffline: () => setOffline(run, entry, true) },
    () => {
      // No later than that by a clock that was set back since.
      giveUpAt = Math.min(giveUpAt, environment.now() + policy.callTimeoutMs)
      setOffline(run, entry, false)
      return port.callTool(
        { name, ...(args && { arguments: args }), meta },
        {
          beforeSend,
          ask: (inputKey, request, abort) => run.answers.ask(run, entry, inputKey, request, abort),
          onProgress: (progress) => changeCall(run, entry, (call, progressAt) => ({ ...call, progress, progressAt })),
          signal,
        },
      )
    },
    (error, failures) => {
      violations = error instanceof TaskProtocolError ? violations + 1 : 0
      const isLast = !canRepeat || signal.aborted || violations >= MAX_VIOLATIONS
      if (isCancelling(entry)) throw new TaskCancelledError(undefined, { callId })
      if (isLast || !mayHaveArrived(error, entry.call.sent === 'repeated')) throw error
      const waitMs = askedMs(error) ?? 0
      changeCall(run, entry, (call) => failedOnce({ ...call, sent: 'repeated' }, error))
      if (failures < policy.maxAttempts && environment.now() + waitMs < giveUpAt) return waitMs
      throw error instanceof ToolCallInterruptedError
        ? error
        : new ToolCallInterruptedError(name, { callId, cause: error })
    },
  )
}

/** The call waits for what others have made of it, and shows that. */
function showWaiting(run: Run, entry: CallEntry, wish: MakeOptions['wish'], sent: Call['sent']): void {
  const waiting = { name: 'waiting', for: 'lock', wish, isCancelling: isCancelling(entry) } as const
  changeCall(run, entry, (call) => (call.stage.name === 'left' ? call : { ...call, sent, stage: waiting }))
}

const NEW_CALLING = { name: 'calling', inputs: NO_INPUTS, failure: undefined, isCancelling: false } as const

/** The call waits for the network, or goes out. */
function setOffline(run: Run, entry: CallEntry, isOffline: boolean, from: Source = isOffline ? 'call' : 'sent'): void {
  changeCall(
    run,
    entry,
    (call) => {
      const { stage } = call
      if (stage.name === 'calling') return { ...call, stage: { ...stage, isOffline } }
      if (stage.name !== 'waiting') return call
      if (isOffline) return { ...call, stage: { ...stage, for: 'network' } }
      return { ...call, stage: { ...NEW_CALLING, isOffline } }
    },
    from,
  )
}

function failedOnce(call: Call, error: Error): Call {
  const { stage } = call
  if (stage.name !== 'calling') return call
  const failure = { error, count: (stage.failure?.count ?? 0) + 1 }
  return { ...call, stage: { ...stage, inputs: NO_INPUTS, failure, isOffline: false } }
}

/** True if the call may have reached the server, and its answer has not come. If a repetition cannot connect, the first attempt may still have. */
function mayHaveArrived(error: unknown, isRepeated: boolean): error is Error {
  if (error instanceof ToolCallInterruptedError || error instanceof TaskProtocolError) return true
  if (!isRepeated) return false
  return error instanceof ConnectionFailedError || (error instanceof ToolCallRejectedError && error.code === TOO_MANY)
}

const TOO_MANY = 429
