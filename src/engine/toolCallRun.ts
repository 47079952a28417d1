import type { Environment } from '../environment/environment.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import { TaskCancelledError, TaskExpiredError, ToolCallInterruptedError } from '../protocol/errors.js'
import type { InputResponse } from '../protocol/inputRequest.js'
import { isTerminal, type Task } from '../protocol/task.js'
import type { RecordStore } from '../storage/recordStore.js'
import { recordedTask, recordSnapshot, type TaskRecord, type TaskRecordTask } from '../storage/taskRecord.js'
import { onAbort } from './abort.js'
import { type FollowEvent, followTask, type TerminalTask } from './followTask.js'
import { type PollPolicy, pollInterval } from './pollPolicy.js'
import { taskOutcome } from './taskOutcome.js'
import type { TaskPort, ToolCallRequest } from './taskPort.js'
import type { ToolCallEvent } from './toolCallReducer.js'
import { waitUntilDue } from './waitUntilDue.js'

export interface ToolCallRunOptions {
  /** An intent, for a call to be made; a record with a task, for one to be taken up again. */
  readonly record: TaskRecord
  /** Looks for what an earlier page has left of this call. */
  readonly recall?: (() => Promise<TaskRecord | undefined>) | undefined
  readonly request: ToolCallRequest
  readonly port: TaskPort
  readonly environment: Environment
  readonly policy: PollPolicy
  readonly records: Pick<RecordStore, 'write' | 'remove'>
  /** Whether the task is followed although nobody watches it. */
  readonly followUnwatched: boolean
  readonly dispatch: (event: ToolCallEvent) => void
  /** Hears when the next poll is due, ms since the epoch; undefined: none is. */
  readonly onScheduled: (at: number | undefined) => void
}

/** One call on its way from `tools/call` to its end. */
export interface ToolCallRun {
  /** Rejects with the reason given to `stop`, where that came first. */
  readonly outcome: Promise<CallToolResult>
  /** Says that somebody waits. Returns the way back. */
  watch(): () => void
  cancel(): Promise<void>
  respond(inputKey: string, response: InputResponse): Promise<void>
  /** Ends the following. The task goes on and its record stays. */
  stop(reason: Error): void
}

/**
 * Makes a call, or takes one up again, and follows it to its end.
 *
 * ```text
 * write intent ▶ tools/call ▶ result ─────────────────────────────▶ remove record ▶ settled
 *                     └────▶ task ▶ write record ▶ poll … terminal ▶ keep record  ▶ settled
 * a page that goes away leaves:   intent: interrupted   record: taken up again
 * ```
 */
export function startToolCallRun(options: ToolCallRunOptions): ToolCallRun {
  const { environment, port, policy, records, dispatch } = options
  const life = new AbortController()
  /** Aborts a `tools/call` that has no answer yet. */
  const unanswered = new AbortController()
  let record = options.record
  let latest: Task | undefined = record.task && recordedTask(record.task)
  let nextPollAt = record.task?.nextPollAt ?? environment.now()
  let ended: TerminalTask | undefined
  let cancelling: Promise<void> | undefined

  const watchers = new Set<symbol>()
  let turn: AbortController | undefined
  let wake = () => {}
  const isWatched = () => options.followUnwatched || watchers.size > 0

  function schedule(at: number | undefined): void {
    if (at !== undefined) nextPollAt = at
    options.onScheduled(at)
  }

  function writeTask(changes: Partial<TaskRecordTask>): Promise<void> {
    if (record.task === undefined) return Promise.resolve()
    record = { ...record, task: { ...record.task, ...(latest && recordSnapshot(latest)), nextPollAt, ...changes } }
    return records.write(record)
  }

  function onFollowEvent(event: FollowEvent): void {
    if (event.type === 'scheduled') return schedule(event.at)
    if (event.type !== 'snapshot') return dispatch(event)
    latest = event.task
    dispatch({ ...event, answered: new Set(record.task?.answered) })
  }

  /** Follows the task, in turns where it is followed only while somebody watches. */
  async function follow(task: TaskRecordTask): Promise<CallToolResult> {
    const unsubscribe = environment.onPageHide(() => void writeTask({}))
    try {
      ended = await followInTurns(task)
    } finally {
      unsubscribe()
    }
    latest = ended
    return taskOutcome(ended, record.callId)
  }

  async function followInTurns({ taskId, receivedAt }: TaskRecordTask): Promise<TerminalTask> {
    for (;;) {
      life.signal.throwIfAborted()
      if (!isWatched()) {
        schedule(undefined)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      turn = new AbortController()
      const { signal } = turn
      const release = onAbort(life.signal, () => turn?.abort(life.signal.reason))
      try {
        return await followTask({
          taskId,
          task: latest,
          firstPollAt: nextPollAt,
          receivedAt,
          port,
          environment,
          policy,
          signal,
          onEvent: onFollowEvent,
        })
      } catch (error) {
        if (!signal.aborted) throw error
      } finally {
        release()
      }
    }
  }

  /** The `tools/call` was answered by a task: record it, then everything else. */
  async function hold(task: Task): Promise<CallToolResult> {
    const now = environment.now()
    // Born terminal, its result can be fetched; else the first poll is one interval away.
    nextPollAt = isTerminal(task.status) ? now : now + pollInterval(task.pollIntervalMs, policy)
    latest = task
    const created = { ...recordSnapshot(task), receivedAt: now, nextPollAt, answered: [], isCancelling: false }
    record = { ...record, era: port.era, task: created }
    await records.write(record)
    dispatch({ type: 'created', task })
    return follow(created)
  }

  async function start(): Promise<CallToolResult> {
    const left = await options.recall?.()
    if (left !== undefined) {
      record = left
      latest = left.task && recordedTask(left.task)
      nextPollAt = left.task?.nextPollAt ?? environment.now()
      dispatch({ type: 'recalled', startedAt: left.startedAt })
      if (left.task === undefined) throw new ToolCallInterruptedError(record.tool, { callId: record.callId })
    }
    return record.task === undefined ? call() : resume(record.task)
  }

  async function call(): Promise<CallToolResult> {
    await records.write(record)
    // Nothing has been sent: offline, the call can wait.
    await waitUntilDue({
      environment,
      dueAt: environment.now(),
      notBefore: environment.now(),
      pauseWhenHidden: false,
      signal: unanswered.signal,
      onBlocked: (network) => dispatch({ type: 'blocked', network }),
    })
    dispatch({ type: 'unblocked' })
    return port.callTool(options.request, hold, unanswered.signal)
  }

  async function resume(task: TaskRecordTask): Promise<CallToolResult> {
    dispatch({ type: 'created', task: recordedTask(task) })
    if (task.isCancelling) dispatch({ type: 'cancel-requested' })
    else if (unanswered.signal.aborted) cancelling = sendCancel(task.taskId)
    const result = await follow(task)
    return port.completeCall(record.tool, result)
  }

  async function run(): Promise<CallToolResult> {
    try {
      const result = await start()
      await (record.task === undefined ? records.remove(record.callId) : writeTask({}))
      dispatch({ type: 'resolved', result, task: ended })
      return result
    } catch (error) {
      if (life.signal.aborted) throw life.signal.reason
      await keepOrRemove(error)
      dispatch({ type: 'rejected', error: error instanceof Error ? error : new Error(String(error)), task: ended })
      throw error
    } finally {
      schedule(undefined)
    }
  }

  /** A record stays as long as it can still lead to the outcome, or has to say that there is none. */
  function keepOrRemove(error: unknown): Promise<void> {
    if (record.task === undefined) {
      return error instanceof ToolCallInterruptedError ? Promise.resolve() : records.remove(record.callId)
    }
    return error instanceof TaskExpiredError ? records.remove(record.callId) : writeTask({})
  }

  async function sendCancel(taskId: string): Promise<void> {
    dispatch({ type: 'cancel-requested' })
    try {
      await writeTask({ isCancelling: true })
      await port.cancelTask(taskId, life.signal)
    } catch (error) {
      cancelling = undefined
      await writeTask({ isCancelling: false })
      dispatch({ type: 'cancel-failed', error: error instanceof Error ? error : new Error(String(error)) })
      throw error
    }
  }

  const outcome = run()
  // Whoever wants the outcome awaits it; the store has it in any case.
  outcome.catch(() => {})

  return {
    outcome,
    watch: () => {
      const watcher = Symbol('watcher')
      watchers.add(watcher)
      wake()
      return () => {
        // A component that unmounts and mounts again in the same breath has not gone away.
        environment.setTimeout(() => {
          if (watchers.delete(watcher) && !isWatched()) turn?.abort()
        }, 0)
      }
    },
    cancel: async () => {
      if (ended !== undefined || life.signal.aborted) return
      if (record.task === undefined)
        return unanswered.abort(new TaskCancelledError(undefined, { callId: record.callId }))
      cancelling ??= sendCancel(record.task.taskId)
      return cancelling
    },
    respond: async (inputKey, response) => {
      if (record.task === undefined || ended !== undefined) return
      await port.updateTask(record.task.taskId, { [inputKey]: response }, life.signal)
      await writeTask({ answered: [...record.task.answered, inputKey] })
      dispatch({ type: 'answered', inputKey })
    },
    stop: (reason) => {
      life.abort(reason)
      unanswered.abort(reason)
      wake()
    },
  }
}
