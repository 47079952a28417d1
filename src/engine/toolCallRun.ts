import type { Environment } from '../environment/environment.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import { TaskCancelledError, TaskExpiredError, TaskStuckError, ToolCallInterruptedError } from '../protocol/errors.js'
import type { InputResponse } from '../protocol/inputRequest.js'
import { type DetailedTask, isTerminal, type Task } from '../protocol/task.js'
import type { RecordStore } from '../storage/recordStore.js'
import { recordedTask, recordSnapshot, type TaskRecord, type TaskRecordTask } from '../storage/taskRecord.js'
import type { CallMessage, CallTabs } from './callTabs.js'
import { deliverAnswer } from './deliverAnswer.js'
import { type FollowEvent, followTask, type TerminalTask } from './followTask.js'
import type { InputHandlers } from './inputHandlers.js'
import { type PollPolicy, pollInterval } from './pollPolicy.js'
import type { PushFeed } from './pushFeed.js'
import { createQuestions } from './questions.js'
import { taskOutcome } from './taskOutcome.js'
import type { TaskPort, ToolCallRequest } from './taskPort.js'
import { isStale, type ToolCallEvent } from './toolCallReducer.js'
import { waitUntilOnline } from './waitForTurn.js'
import { watchGate } from './watchGate.js'

export interface ToolCallRunOptions {
  /** An intent, for a call to be made; a record with a task, for one to be taken up again. */
  readonly record: TaskRecord
  /** Looks for what another page has left of this call. A call without it is one of its own. */
  readonly recall?: (() => Promise<TaskRecord | undefined>) | undefined
  readonly request: ToolCallRequest
  readonly port: TaskPort
  readonly environment: Environment
  readonly policy: PollPolicy
  readonly records: Pick<RecordStore, 'write' | 'update' | 'read' | 'remove'>
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
  /** Hears of what went wrong without ending the call. */
  readonly onError: (error: unknown, operation: 'respond' | 'cancel') => void
}

/** One call on its way from `tools/call` to its end. */
export interface ToolCallRun {
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
}

type Outcome = Extract<CallMessage, { type: 'settled' }>['outcome']

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
  const { callId } = options.record
  const life = new AbortController()
  /** Aborts a `tools/call` that has no answer yet. */
  const unanswered = new AbortController()
  const gate = watchGate(environment, options.followUnwatched, life.signal)
  let record = options.record
  let latest: Task | undefined = record.task && recordedTask(record.task)
  let nextPollAt = record.task?.nextPollAt ?? environment.now()
  let ended: TerminalTask | undefined
  let cancelling: Promise<void> | undefined
  let idlePolls = 0
  let releaseClaim = () => {}
  /** Settles the run with what another tab, which is making the call, has got. */
  let adopt: ((outcome: Outcome) => void) | undefined
  let isAdopted = false
  /** Whether there is nothing left to write down. */
  let isOver = false

  const questions = createQuestions({
    callId,
    handlers: options.inputHandlers,
    missingInput: options.missingInput,
    check: port.checkAnswer,
    exclusively: (inputKey, signal, work) => tabs.exclusively(`input:${callId}:${inputKey}`, signal, work),
    isNoted: (inputKey) => record.task?.answered.includes(inputKey) ?? false,
    isAnswered: async (inputKey) => (await records.read(callId))?.task?.answered.includes(inputKey) ?? false,
    onChange: (inputRequests) => dispatch({ type: 'questions', inputRequests }),
    onError: (error) => options.onError(error, 'respond'),
  })

  function schedule(at: number | undefined): void {
    if (at !== undefined) nextPollAt = at
    options.onScheduled(at)
  }

  function updateTask(changes: Partial<TaskRecordTask>): Promise<void> {
    // A record that is gone, forgotten or expired, must not come back.
    if (record.task === undefined || isOver || life.signal.aborted) return Promise.resolve()
    record = { ...record, task: { ...record.task, ...(latest && recordSnapshot(latest)), nextPollAt, ...changes } }
    return records.update(record)
  }

  function onFollowEvent(event: FollowEvent): void {
    if (event.type === 'scheduled') return schedule(event.at)
    if (event.type !== 'snapshot') return dispatch(event)
    const { task } = event
    if (isStale(latest, task)) return dispatch({ type: 'poll-answered' })
    latest = task
    const asked = task.status === 'input_required' ? task.inputRequests : {}
    const inputRequests = questions.observe(asked, task.taskId, (inputKey, response) =>
      deliver(task.taskId, inputKey, response),
    )
    dispatch({ type: 'snapshot', task, inputRequests })
    giveUpIfStuck(task)
  }

  /** Waits in vain: the task asks for input, and everything that it asks has been answered. */
  function giveUpIfStuck(task: DetailedTask): void {
    idlePolls = task.status === 'input_required' && !questions.isBusy() ? idlePolls + 1 : 0
    if (idlePolls < options.stuckAfterPolls) return
    void cancelQuietly(task.taskId)
    throw new TaskStuckError(
      `The task has asked for input in ${idlePolls} polls in a row without asking anything new. It was cancelled.`,
      { taskId: task.taskId, callId },
    )
  }

  async function cancelQuietly(taskId: string): Promise<void> {
    try {
      await port.cancelTask(taskId)
    } catch (error) {
      options.onError(error, 'cancel')
    }
  }

  async function deliver(taskId: string, inputKey: string, response: InputResponse): Promise<void> {
    await deliverAnswer({
      send: () => port.updateTask(taskId, { [inputKey]: response }, life.signal),
      environment,
      policy,
      signal: life.signal,
      onError: (error) => options.onError(error, 'respond'),
    })
    await noteAnswered(inputKey)
    tabs.tell(callId, { type: 'answered', inputKey })
  }

  /** Follows the task, in turns where it is followed only while somebody watches. */
  async function follow({ taskId, receivedAt }: TaskRecordTask): Promise<CallToolResult> {
    const unsubscribe = environment.onPageHide(() => void updateTask({}))
    try {
      const turn = async (signal: AbortSignal) => {
        const link = tabs.link(callId)
        const push = options.push.follow(taskId, link)
        const course = { taskId, task: latest, firstPollAt: nextPollAt, receivedAt }
        try {
          return await followTask({ ...course, port, environment, policy, link, push, signal, onEvent: onFollowEvent })
        } finally {
          push.close()
          link.close()
        }
      }
      ended = await gate.whileWatched(turn, () => schedule(undefined))
    } finally {
      unsubscribe()
    }
    latest = ended
    return taskOutcome(ended, callId)
  }

  /** The `tools/call` was answered by a task: record it, then everything else. */
  async function hold(task: Task): Promise<CallToolResult> {
    const now = environment.now()
    // Born terminal, its result can be fetched; else the first poll is one interval away.
    nextPollAt = isTerminal(task.status) ? now : now + pollInterval(task.pollIntervalMs, policy)
    latest = task
    const created = { ...recordSnapshot(task), receivedAt: now, nextPollAt, answered: [], isCancelling: false }
    record = { ...record, era: port.era, task: created }
    questions.clear()
    await records.write(record)
    dispatch({ type: 'created', task })
    tabs.tell(callId, { type: 'created', record })
    releaseClaim()
    return follow(created)
  }

  /** Makes the call, unless another page has made it, and then follows what that has left. */
  async function start(): Promise<CallToolResult> {
    if (record.task !== undefined) return resume(record.task)
    if (options.recall !== undefined) {
      const foreign = await claim()
      if (foreign !== undefined) return adopted(foreign)
      const left = await options.recall()
      if (left?.task !== undefined) {
        releaseClaim()
        return takeUp(left, left.task)
      }
      if (left !== undefined && !(await port.isRepeatable(record.tool))) {
        record = left
        dispatch({ type: 'recalled', startedAt: left.startedAt })
        throw new ToolCallInterruptedError(record.tool, { callId })
      }
    }
    return call()
  }

  /** Waits until no other tab is making this call. The outcome, where the one that does comes to an end without a task. */
  async function claim(): Promise<Outcome | undefined> {
    const elsewhere = new Promise<Outcome>((resolve) => {
      adopt = resolve
    })
    const claimed = tabs.claim(callId, unanswered.signal).then((release) => {
      if (isAdopted) release()
      else releaseClaim = release
    })
    const foreign = await Promise.race([claimed, elsewhere])
    adopt = undefined
    return foreign ?? undefined
  }

  function adopted(outcome: Outcome): CallToolResult {
    isAdopted = true
    unanswered.abort()
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }

  function takeUp(left: TaskRecord, task: TaskRecordTask): Promise<CallToolResult> {
    record = left
    latest = recordedTask(task)
    nextPollAt = task.nextPollAt ?? environment.now()
    dispatch({ type: 'recalled', startedAt: left.startedAt })
    return resume(task)
  }

  async function call(): Promise<CallToolResult> {
    unanswered.signal.throwIfAborted()
    await records.write(record)
    // Nothing has been sent: offline, the call can wait.
    await waitUntilOnline({
      environment,
      signal: unanswered.signal,
      onBlocked: (network) => dispatch({ type: 'blocked', network }),
    })
    dispatch({ type: 'unblocked' })
    return port.callTool(options.request, { hold, ask: questions.ask, signal: unanswered.signal })
  }

  async function resume(task: TaskRecordTask): Promise<CallToolResult> {
    dispatch({ type: 'created', task: recordedTask(task) })
    tabs.tell(callId, { type: 'created', record })
    if (task.isCancelling) dispatch({ type: 'cancel-requested' })
    else if (unanswered.signal.aborted) cancelling = sendCancel(task.taskId)
    return port.completeCall(record.tool, await follow(task))
  }

  async function run(): Promise<CallToolResult> {
    const outcome = await start().then(
      (result): Outcome => ({ result }),
      (error: unknown): Outcome => ({ error: asError(error) }),
    )
    schedule(undefined)
    questions.clear()
    if (life.signal.aborted) {
      releaseClaim()
      throw life.signal.reason
    }
    const isTask = record.task !== undefined
    if (!isTask && !isAdopted && options.recall !== undefined) tabs.tell(callId, { type: 'settled', outcome })
    await keepOrRemove(outcome)
    isOver = true
    releaseClaim()
    if ('result' in outcome) {
      dispatch({ type: 'resolved', result: outcome.result, task: ended })
      return outcome.result
    }
    dispatch({ type: 'rejected', error: outcome.error, task: ended })
    throw outcome.error
  }

  /** A record stays as long as it can still lead to the outcome, or has to say that there is none. */
  function keepOrRemove(outcome: Outcome): Promise<void> {
    const error = 'error' in outcome ? outcome.error : undefined
    if (record.task === undefined) {
      return error instanceof ToolCallInterruptedError || isAdopted ? Promise.resolve() : records.remove(callId)
    }
    return error instanceof TaskExpiredError ? records.remove(callId) : updateTask({})
  }

  async function sendCancel(taskId: string): Promise<void> {
    const note = (isCancelling: boolean) => {
      tabs.tell(callId, { type: 'cancelling', isCancelling })
      return updateTask({ isCancelling })
    }
    dispatch({ type: 'cancel-requested' })
    try {
      await note(true)
      await port.cancelTask(taskId, life.signal)
    } catch (error) {
      // A page that goes away does not know whether the server has heard.
      life.signal.throwIfAborted()
      cancelling = undefined
      await note(false)
      dispatch({ type: 'cancel-failed', error: asError(error) })
      throw error
    }
  }

  function noteAnswered(inputKey: string): Promise<void> {
    return updateTask({ answered: [...new Set(record.task?.answered).add(inputKey)] })
  }

  // Not before whoever starts the run has it in hand: it reports to them.
  const outcome = Promise.resolve().then(run)
  // Whoever wants the outcome awaits it; the store has it in any case.
  outcome.catch(() => {})

  return {
    outcome,
    watch: gate.watch,
    cancel: async () => {
      if (ended !== undefined || life.signal.aborted) return
      if (record.task === undefined) return unanswered.abort(new TaskCancelledError(undefined, { callId }))
      cancelling ??= sendCancel(record.task.taskId)
      return cancelling
    },
    respond: questions.respond,
    receive: (message) => {
      switch (message.type) {
        case 'created':
          break
        case 'settled':
          adopt?.(message.outcome)
          break
        case 'cancelling':
          dispatch(message.isCancelling ? { type: 'cancel-requested' } : { type: 'cancel-withdrawn' })
          void updateTask({ isCancelling: message.isCancelling })
          break
        case 'answered':
          void noteAnswered(message.inputKey)
          questions.noteAnswered(message.inputKey)
          break
      }
    },
    stop: (reason) => {
      life.abort(reason)
      unanswered.abort(reason)
    },
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
