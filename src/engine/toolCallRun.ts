import type { Environment } from '../environment/environment.js'
import { asError } from '../protocol/asError.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import { TaskCancelledError, TaskStuckError, ToolCallInterruptedError } from '../protocol/errors.js'
import type { InputResponse } from '../protocol/inputRequest.js'
import { isTerminal, type Task } from '../protocol/task.js'
import { hash } from '../storage/hash.js'
import type { RecordStore } from '../storage/recordStore.js'
import { recordedTask, type TaskRecord, type TaskRecordTask } from '../storage/taskRecord.js'
import { createCallJournal } from './callJournal.js'
import type { CallMessage, CallTabs } from './callTabs.js'
import { type CallClaim, type CallOutcome, type Claim, claimCall } from './claimCall.js'
import { deliverAnswer } from './deliverAnswer.js'
import { type FollowEvent, followTask, type TerminalTask } from './followTask.js'
import type { InputHandlers } from './inputHandlers.js'
import type { PollPolicy } from './pollPolicy.js'
import type { PushFeed } from './pushFeed.js'
import { createQuestions } from './questions.js'
import { withRequestTimeout } from './requestTimeout.js'
import { taskOutcome } from './taskOutcome.js'
import type { TaskPort, ToolCallRequest } from './taskPort.js'
import type { ToolCallEvent } from './toolCallReducer.js'
import { waitUntilOnline } from './waitForTurn.js'
import { watchGate } from './watchGate.js'

export interface ToolCallRunOptions {
  /** An intent, for a call to be made; a record with a task, for one to be taken up again. */
  readonly record: TaskRecord
  /** Looks for what another page has left of this call. A call without it is one of its own. */
  readonly recall?: (() => Promise<TaskRecord | undefined>) | undefined
  /** Whether the call is made whatever came of it in another tab. It waits for that tab all the same: one at a time. */
  readonly isFresh?: boolean
  readonly request: ToolCallRequest
  readonly port: TaskPort
  readonly environment: Environment
  readonly policy: PollPolicy
  readonly records: Pick<RecordStore, 'write' | 'update' | 'read' | 'has' | 'remove'>
  readonly tabs: CallTabs
  readonly push: PushFeed
  /** Whether the task is followed although nobody watches it. */
  readonly followUnwatched: boolean
  readonly inputHandlers: InputHandlers
  readonly missingInput: 'wait' | 'error'
  /** Polls in `input_required` with nothing left to answer, after which a task is stuck. */
  readonly stuckAfterPolls: number
  readonly dispatch: (event: ToolCallEvent) => void
  /** Hears when the next poll is due, ms since the epoch; undefined: none is. */
  readonly onScheduled: (at: number | undefined) => void
  /** Hears that the call was forgotten while this page was away. */
  readonly onForgotten: () => void
  /** Hears of what went wrong without ending the call. */
  readonly onError: (error: unknown, operation: 'poll' | 'respond' | 'cancel') => void
}

/** One call on its way from `tools/call` to its end. */
export interface ToolCallRun {
  /** What is known of the call, as it is recorded. */
  readonly record: TaskRecord
  /** Rejects with the reason given to `stop`, where that came first. */
  readonly outcome: Promise<CallToolResult>
  /** Says that somebody waits. Returns the way back. */
  watch(): () => void
  cancel(): Promise<void>
  respond(inputKey: string, response: InputResponse): Promise<void>
  /** Takes note of what happened to the call in another tab. */
  receive(message: CallMessage): void
  /** Ends the following. The task goes on and its record stays. */
  stop(reason: Error): void
  /** The same, where somebody is to go on. Resolves when what is known is written down. */
  leave(reason: Error): Promise<void>
}

/**
 * Makes a call, or takes one up again, and follows it to its end.
 *
 * ```text
 * claim ▶ write intent ▶ tools/call ▶ result ─────────────────────────────▶ remove record ▶ settled
 *                             └────▶ task ▶ write record ▶ poll … terminal ▶ keep record  ▶ settled
 * a page that goes away leaves:      intent: interrupted   record: taken up again
 * another tab with the same key:     waits for the claim   finds the record and follows, too
 * ```
 */
export function startToolCallRun(options: ToolCallRunOptions): ToolCallRun {
  const { environment, port, policy, records, tabs, dispatch } = options
  const { callId, tool } = options.record
  const life = new AbortController()
  /** Aborts a `tools/call` that has no answer yet. */
  const unanswered = new AbortController()
  const gate = watchGate(environment, options.followUnwatched, life.signal)
  const journal = createCallJournal({ record: options.record, records, now: environment.now, policy })
  let isFollowing = false
  let ended: TerminalTask | undefined
  let cancelling: Promise<void> | undefined
  let claim: CallClaim | undefined
  let idlePolls = 0
  /** Whether the task was made by this run and is not followed yet. */
  let isNew = false
  /** Whether the outcome came from another tab, which has told the others. */
  let isForeign = false
  let releaseClaim = () => {}

  const questions = createQuestions({
    callId,
    handlers: options.inputHandlers,
    missingInput: options.missingInput,
    check: port.checkAnswer,
    exclusively: (inputKey, signal, work) => {
      // Not the id of the call: several may refer to the task. Nor that of the task, which is nobody else's business.
      const asker = hash(journal.record.task?.taskId ?? callId)
      return tabs.exclusively(`input:${asker}:${inputKey}`, signal, work)
    },
    isNoted: journal.isAnswered,
    isAnswered: async (taskId, inputKey) => {
      const stored = (await records.read(callId))?.task
      return stored?.taskId === taskId && stored.answered.includes(inputKey)
    },
    onChange: (inputRequests) => dispatch({ type: 'questions', inputRequests }),
    onError: (error) => options.onError(error, 'respond'),
  })

  /** Makes the call, unless another page has made it, and then follows what that has left. */
  async function start(): Promise<CallToolResult> {
    const { task } = journal.record
    if (task !== undefined) return resume(task)
    if (options.recall === undefined) return call()

    const claimed = await takeClaim()
    if ('outcome' in claimed) return settledElsewhere(claimed.outcome)
    if ('record' in claimed) return takeUp(claimed.record)
    releaseClaim = claimed.release
    const left = await options.recall()
    if (left === undefined) return call()
    if (left.task === undefined && (await port.isRepeatable(tool))) return call()
    return takeUp(left)
  }

  /** Goes on with what another page has made of the call. */
  function takeUp(left: TaskRecord): Promise<CallToolResult> {
    journal.takeUp(left)
    dispatch({ type: 'recalled', startedAt: left.startedAt })
    if (left.task === undefined) throw new ToolCallInterruptedError(tool, { callId })
    releaseClaim()
    return resume(left.task)
  }

  async function takeClaim(): Promise<Claim> {
    for (;;) {
      claim = claimCall(tabs, callId, unanswered.signal)
      const claimed = await claim.claim
      if ('release' in claimed || !options.isFresh) return claimed
    }
  }

  function settledElsewhere(outcome: CallOutcome): CallToolResult {
    isForeign = true
    journal.abandon()
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }

  async function call(): Promise<CallToolResult> {
    // Nothing has been sent: offline, the call can wait.
    await waitUntilOnline({
      environment,
      signal: unanswered.signal,
      onBlocked: (network) => dispatch(network ? { type: 'blocked', network } : { type: 'unblocked' }),
    })
    let following: Promise<CallToolResult> | undefined
    try {
      return await port.callTool(options.request, {
        beforeSend: journal.writeIntent,
        hold: (task) => {
          following = hold(task)
          return following
        },
        ask: questions.ask,
        signal: unanswered.signal,
      })
    } catch (error) {
      // The connection broke under a call that is a task by now: that goes on, and is known.
      if (following === undefined) throw error
      return port.completeCall(tool, await following)
    }
  }

  /** The `tools/call` was answered by a task: record it, then everything else. */
  async function hold(task: Task): Promise<CallToolResult> {
    await journal.writeTask(task, port.era)
    questions.clear()
    dispatch({ type: 'created', task })
    tabs.tell(callId, { type: 'created', record: journal.record })
    releaseClaim()
    isNew = true
    return follow()
  }

  async function resume(task: TaskRecordTask): Promise<CallToolResult> {
    life.signal.throwIfAborted()
    dispatch({ type: 'created', task: recordedTask(task) })
    if ((task.isCancelling || unanswered.signal.aborted) && !isTerminal(task.status)) {
      // Asked for before there was a task, or by a page that may not have got through: nobody waits for it.
      cancelling = sendCancel(task.taskId)
      cancelling.catch(() => {})
    }
    return port.completeCall(tool, await follow())
  }

  /**
   * Another tab has made the call anew. Two that do so in the same moment agree on the task that is recorded:
   *
   * ```text
   * tab A  task 1 ▪ writes ── tells ───────── hears of task 2, reads task 2, follows it
   * tab B     task 2 ────── writes ▪ tells ── hears of task 1, reads task 2, stays
   * ```
   */
  async function followInstead(told?: TaskRecord): Promise<void> {
    const isFollowed = (record: TaskRecord | undefined) => record?.task?.taskId === journal.record.task?.taskId
    if (!isFollowing || isFollowed(told)) return
    const left = (await records.read(callId)) ?? told
    if (left?.task === undefined || !isFollowing || isFollowed(left)) return
    journal.takeUp(left)
    questions.clear()
    cancelling = undefined
    dispatch({ type: 'recalled', startedAt: left.startedAt })
    dispatch({ type: 'created', task: recordedTask(left.task) })
    dispatch({ type: left.task.isCancelling ? 'cancel-requested' : 'cancel-withdrawn' })
    gate.restart()
  }

  /** Follows the task, in turns where it is followed only while somebody watches. */
  async function follow(): Promise<CallToolResult> {
    const unsubscribe = [
      environment.onPageHide(() => void journal.flush()),
      environment.onPageShow(() => void catchUp()),
    ]
    isFollowing = true
    try {
      ended = await gate.whileWatched(followForATurn, () => options.onScheduled(undefined))
    } finally {
      isFollowing = false
      for (const take of unsubscribe) take()
    }
    journal.note(ended)
    questions.clear()
    return taskOutcome(ended, callId)
  }

  /** A page in the back-forward cache hears nothing. What happened to the call meanwhile is in its record. */
  async function catchUp(): Promise<void> {
    if (await journal.wasTakenAway()) return options.onForgotten()
    await followInstead()
  }

  async function followForATurn(signal: AbortSignal): Promise<TerminalTask> {
    const { record, latest, nextPollAt } = journal
    const { taskId, receivedAt } = record.task ?? noTask()
    const link = tabs.link(taskId, isNew, nextPollAt)
    isNew = false
    const push = options.push.follow(taskId, link)
    const { readNextPollAt } = journal
    const taskPort = { ...port, getTask: (id: string, abort?: AbortSignal) => port.getTask(id, abort, record.era) }
    const course = { taskId, task: latest, firstPollAt: nextPollAt, receivedAt, readNextPollAt }
    try {
      const following = { ...course, port: taskPort, environment, policy, link, push, signal }
      return await followTask({ ...following, onEvent: onFollowEvent })
    } finally {
      push.close()
      link.close()
    }
  }

  function onFollowEvent(event: FollowEvent): void {
    if (event.type === 'scheduled') {
      journal.nextPollAt = event.notBefore
      return options.onScheduled(event.at)
    }
    if (event.type === 'poll-failed') options.onError(event.error, 'poll')
    if (event.type !== 'snapshot') return dispatch(event)
    const { task } = event
    journal.note(task)
    const asked = task.status === 'input_required' ? task.inputRequests : {}
    const deliver = (inputKey: string, response: InputResponse) => sendAnswer(task.taskId, inputKey, response)
    dispatch({ type: 'snapshot', task, inputRequests: questions.observe(asked, task.taskId, deliver) })
    giveUpIfStuck(task)
  }

  /** Waits in vain: the task asks for input, and everything that it asks has been answered. */
  function giveUpIfStuck({ status, taskId }: Task): void {
    idlePolls = status === 'input_required' && !questions.isBusy() ? idlePolls + 1 : 0
    if (idlePolls < options.stuckAfterPolls) return
    port.cancelTask(taskId).catch((error: unknown) => options.onError(error, 'cancel'))
    throw new TaskStuckError(
      `The task has asked for input in ${idlePolls} polls in a row without asking anything new. It was cancelled.`,
      { taskId, callId },
    )
  }

  function inTime(taskId: string, send: (signal: AbortSignal) => Promise<void>): Promise<void> {
    return withRequestTimeout({ taskId, environment, policy, signal: life.signal }, send)
  }

  async function sendAnswer(taskId: string, inputKey: string, response: InputResponse): Promise<void> {
    await deliverAnswer({
      send: () => inTime(taskId, (signal) => port.updateTask(taskId, { [inputKey]: response }, signal)),
      environment,
      policy,
      signal: life.signal,
      onError: (error) => options.onError(error, 'respond'),
    })
    await journal.noteAnswered(taskId, inputKey)
    tabs.tell(callId, { type: 'answered', taskId, inputKey })
  }

  async function sendCancel(taskId: string): Promise<void> {
    const note = (isCancelling: boolean) => {
      tabs.tell(callId, { type: 'cancelling', taskId, isCancelling })
      return journal.noteCancelling(taskId, isCancelling)
    }
    dispatch({ type: 'cancel-requested' })
    try {
      await note(true)
      await inTime(taskId, (signal) => port.cancelTask(taskId, signal))
    } catch (error) {
      // A page that goes away does not know whether the server has heard.
      life.signal.throwIfAborted()
      cancelling = undefined
      await note(false)
      dispatch({ type: 'cancel-failed', error: asError(error) })
      throw error
    }
  }

  async function run(): Promise<CallToolResult> {
    const outcome = await start().then(
      (result): CallOutcome => ({ result }),
      (error: unknown): CallOutcome => ({ error: asError(error) }),
    )
    options.onScheduled(undefined)
    questions.clear()
    if (life.signal.aborted) {
      releaseClaim()
      throw life.signal.reason
    }
    const { task } = journal.record
    if (task === undefined && options.recall !== undefined && !isForeign)
      tabs.tell(callId, { type: 'settled', outcome })
    if (!isForeign) await journal.close('error' in outcome ? outcome.error : undefined, port.era)
    releaseClaim()
    if ('result' in outcome) {
      dispatch({ type: 'resolved', result: outcome.result, task: ended })
      return outcome.result
    }
    dispatch({ type: 'rejected', error: outcome.error, task: ended })
    throw outcome.error
  }

  function stop(reason: Error): void {
    journal.abandon()
    life.abort(reason)
    unanswered.abort(reason)
  }

  // Not before whoever starts the run has it in hand: it reports to them.
  const outcome = Promise.resolve().then(run)
  // Whoever wants the outcome awaits it; the store has it in any case.
  outcome.catch(() => {})

  return {
    get record() {
      return journal.record
    },
    outcome,
    watch: gate.watch,
    cancel: async () => {
      if (ended !== undefined || life.signal.aborted) return
      const { task } = journal.record
      if (task === undefined) return unanswered.abort(new TaskCancelledError(undefined, { callId }))
      cancelling ??= sendCancel(task.taskId)
      return cancelling
    },
    respond: questions.respond,
    receive: (message) => {
      if ('taskId' in message && !journal.isCurrent(message.taskId)) return
      switch (message.type) {
        case 'created':
          claim?.settle({ record: message.record })
          void followInstead(message.record)
          break
        case 'settled':
          claim?.settle({ outcome: message.outcome })
          break
        case 'cancelling':
          dispatch(message.isCancelling ? { type: 'cancel-requested' } : { type: 'cancel-withdrawn' })
          void journal.hear({ isCancelling: message.isCancelling })
          break
        case 'answered':
          void journal.hear({ answered: message.inputKey })
          questions.noteAnswered(message.inputKey)
          break
      }
    },
    stop,
    leave: (reason) => {
      const written = journal.flush()
      stop(reason)
      return written
    },
  }
}

function noTask(): never {
  throw new TypeError('A call that has not become a task cannot be followed.')
}
