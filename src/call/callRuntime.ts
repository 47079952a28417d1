import type { Environment, Unsubscribe } from '../environment/environment.js'
import { asError } from '../protocol/asError.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import { TaskCancelledError, TaskExpiredError } from '../protocol/errors.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import type { Task, TerminalTask } from '../protocol/task.js'
import type { RecordStore } from '../storage/recordStore.js'
import { resumeAt, type TaskRecord, type TaskRecordTask } from '../storage/taskRecord.js'
import {
  type Call,
  type CallEvent,
  type CallRules,
  type Circumstances,
  type Effect,
  type Following,
  isTracked,
  type Outcome,
} from './call.js'
import { isRecorded, type RecordOwner, recordFate, recordOf } from './callRecord.js'
import type { CallTabs, Leadership } from './callTabs.js'
import type { InputHandlers } from './inputHandlers.js'
import { createInputResponses, type PendingResponse } from './inputResponses.js'
import { knownMessages } from './knownMessages.js'
import { createMembership } from './membership.js'
import { createPollQueue } from './pollQueue.js'
import type { PushSubscription, PushSubscriptionOptions } from './pushSubscription.js'
import { type DeliveryOptions, deliver } from './requests.js'
import { createScheduler, type Wakeable } from './scheduler.js'
import { createSemaphore } from './semaphore.js'
import { shownState } from './shownState.js'
import type { TaskMessage } from './taskMessage.js'
import { taskOutcome } from './taskOutcome.js'
import type { TaskPort } from './taskPort.js'
import type { ToolCallState } from './toolCallState.js'
import { isPolledHere, transition, wakeAt } from './transition.js'

/** One call in this page: what it is, and what this page needs to go on with it. */
export interface CallEntry extends Wakeable {
  call: Call
  /** `call` as the store shows it. */
  shown: ToolCallState
  /** The election of the tab that polls its task. */
  leadership?: Leadership
  readonly outcome: Promise<CallToolResult>
  readonly resolve: (result: CallToolResult) => void
  readonly reject: (error: unknown) => void
  /** How many handles and components wait for the outcome. */
  observers: number
  /** What was recorded of a task that has ended. */
  record?: TaskRecord
  /** Set where the call is followed no longer in this page: it was closed, forgotten or started anew. */
  left?: Error
  /** Aborts the `tools/call` and what precedes it; absent once that is over. */
  start?: AbortController
  /** True if the `tools/call` may have reached the server. */
  isSent?: boolean
  /** Resolves when the last change is written down. */
  written?: Promise<void>
  /** Lets other tabs make the call. */
  unlock?: () => void
  /** Responses to input requests that are being made in this page. */
  pending?: Map<string, PendingResponse>
  /** The `tasks/cancel` under way. */
  cancelling?: Promise<void>
  /** Aborted when the call is left: what is being sent for it. */
  requests?: Set<AbortController>
}

export interface CallRuntimeOptions {
  readonly port: TaskPort
  readonly environment: Environment
  readonly rules: CallRules
  readonly handlers: InputHandlers
  readonly records: Pick<RecordStore, 'write' | 'update' | 'read' | 'remove'>
  readonly owner: RecordOwner
  readonly tabs: CallTabs
  /** Opens the stream of what the server pushes. */
  readonly createPush: (options: PushSubscriptionOptions) => PushSubscription
  readonly maxConcurrentPolls: number
  /** False if a task is followed only while somebody observes it. */
  readonly followsUnobserved: boolean
  /** Called when what the store shows of a call has changed. */
  readonly onChange: (entry: CallEntry) => void
  /** Called for each call that has become a task when the page is back from the back-forward cache. */
  readonly onPageShown: (entry: CallEntry) => void
  /** Called when a call has ended. */
  readonly onSettled: (entry: CallEntry) => void
  readonly onError: (error: unknown, callId: string, operation: 'poll' | 'respond' | 'cancel') => void
}

/**
 * Runs the calls of a page: hands events to `transition`, keeps what it returns, and carries out its effects. A call
 * that waits owns no timer, no listener and no open promise but its outcome: the one scheduler wakes it, and the page is
 * listened to once for all calls.
 */
export interface CallRuntime {
  create(call: Call): CallEntry
  dispatch(entry: CallEntry, event: CallEvent): void
  /** Takes what another tab posted, or the server pushed, about a task. */
  receive(taskId: string, event: Extract<CallEvent, { type: 'message' | 'pushed' | 'push-changed' }>): void
  /** Writes the record; a synchronous storage has it before this returns. */
  write(entry: CallEntry): Promise<void>
  observe(entry: CallEntry): Unsubscribe
  cancel(entry: CallEntry): Promise<void>
  respond(entry: CallEntry, inputKey: string, response: InputResponse): Promise<void>
  ask(entry: CallEntry, inputKey: string, request: InputRequest, signal: AbortSignal): Promise<InputResponse>
  /** `isForeign`: the outcome came from another tab, which has told the others. */
  settle(entry: CallEntry, outcome: Outcome, isForeign?: boolean, task?: Task): Promise<void>
  /** Follows the call no longer. The task goes on and its record stays. */
  leave(entry: CallEntry, reason: Error): void
  /** What this page knows of a task, for another tab that asks. */
  knownOf(taskId: string): readonly TaskMessage[]
  /** Every call in this page that has become a task and has not ended. */
  tracked(): Iterable<CallEntry>
  close(): void
}

/** How many `tasks/update` may be under way at once: the connections that a browser opens to one origin over HTTP/1.1. */
const MAX_UPDATES = 6

export function createCallRuntime(options: CallRuntimeOptions): CallRuntime {
  const { port, environment, rules, records, owner, tabs } = options
  const { policy } = rules
  const { setTimeout, clearTimeout } = environment
  const scheduler = createScheduler<CallEntry>({ now: look, setTimeout, clearTimeout }, (entry, isLate) =>
    dispatch(entry, { type: 'wake' }, isLate),
  )
  const membership = createMembership(environment, (entry, isTaken) => dispatch(entry, { type: 'turn', isTaken }))
  /** The calls that have become a task and have not ended. A server may have answered two calls with one task. */
  const byTask = new Map<string, CallEntry[]>()
  let subscriptions: Unsubscribe[] = []
  /** How many calls this tab polls for. */
  let polledHere = 0
  let lastNow = environment.now()

  const push = options.createPush({
    port,
    environment,
    policy,
    taskIds: () =>
      [...byTask].filter(([, entries]) => entries.some(({ call }) => isPolledHere(call))).map(([id]) => id),
    onTask: (task) => receive(task.taskId, { type: 'pushed', task }),
    onHint: (taskId) => receive(taskId, { type: 'hint' }),
    onChange: (taskId) => receive(taskId, { type: 'push-changed' }),
  })
  const polls = createPollQueue({
    port,
    environment,
    policy,
    tabs,
    maxConcurrent: options.maxConcurrentPolls,
    followersOf,
    isPushed: push.isLive,
    onSent: (taskId) => receive(taskId, { type: 'poll-sent' }),
    onMessage: (taskId, message) => receive(taskId, { type: 'message', message, isOwn: true }),
  })
  const updatesInLine = createSemaphore(MAX_UPDATES)
  const responses = createInputResponses({
    port,
    tabs,
    handlers: options.handlers,
    missingInput: rules.missingInput,
    dispatch,
    isAnswered: async (callId, taskId, inputKey) => {
      const stored = (await records.read(callId))?.task
      return stored?.taskId === taskId && stored.answered.includes(inputKey)
    },
    deliver: async (entry, taskId, inputKey, response) => {
      await deliverFor(entry, taskId, {
        inLine: updatesInLine,
        send: (signal) => port.updateTask(taskId, { [inputKey]: response }, signal),
        onRetry: (error) => {
          options.onError(error, entry.call.callId, 'respond')
          if (taskIdOf(entry.call) === taskId) dispatch(entry, { type: 'input', inputKey, input: { isRetrying: true } })
        },
      })
      await noteResponded(entry, taskId, inputKey)
    },
    onError: (error, callId) => options.onError(error, callId, 'respond'),
  })

  /** A clock set back would otherwise lengthen every wait by as much. */
  function look(): number {
    const now = environment.now()
    const by = lastNow - now
    lastNow = now
    if (by > 0) for (const entry of tracked()) dispatch(entry, { type: 'clock-set-back', by })
    return now
  }

  function circumstances({ call, leadership }: CallEntry, isLate: boolean): Circumstances {
    return {
      now: look(),
      jitter: environment.random(),
      isOnline: environment.isOnline(),
      isVisible: environment.isVisible(),
      isAlone: tabs.isAlone,
      isLeader: leadership?.isLeader() ?? tabs.isLeader(),
      isPushed: isTracked(call) && push.isLive(call.task.taskId),
      isLate,
    }
  }

  function dispatch(entry: CallEntry, event: CallEvent, isLate = false): void {
    if (entry.left !== undefined) return
    const at = circumstances(entry, isLate)
    const before = entry.call
    const { call, effects } = transition(before, event, at, rules)
    entry.call = call
    // What is recorded survives whatever happens next.
    for (const effect of effects) if (effect.type === 'record') entry.written = write(entry, effect.ifMissing)
    if (call !== before) change(entry, before, call)
    for (const effect of effects) carryOut(entry, effect)
    const isNew = event.type === 'created' || event.type === 'adopted'
    if (isNew && !options.followsUnobserved && entry.observers === 0) dispatch(entry, { type: 'unobserved' })
  }

  function change(entry: CallEntry, before: Call, call: Call): void {
    follow(entry, before, call)
    scheduler.set(entry, wakeAt(call))
    dropWithdrawn(entry)
    const shown = shownState(call, entry.shown, before)
    if (shown === entry.shown) return
    entry.shown = shown
    options.onChange(entry)
  }

  /** What belongs to a call that is followed: its place in the index, its election, its part of the push stream. */
  function follow(entry: CallEntry, before: Call, call: Call): void {
    const [was, is] = [taskIdOf(before), taskIdOf(call)]
    const [wasFollowed, isFollowed] = [before.stage === 'following', call.stage === 'following']
    if (was !== is) {
      if (was !== undefined) removeFromIndex(was, entry)
      if (is !== undefined) addToIndex(is, entry)
    }
    const isMoved = isFollowed && was !== is
    if (wasFollowed && (!isFollowed || isMoved)) membership.leave(entry)
    if (is !== undefined && isFollowed && (!wasFollowed || isMoved)) join(entry, is)
    if (was !== undefined && wasFollowed && followersOf(was).length === 0) release(was)
    const [wasPolled, isPolled] = [isPolledHere(before), isPolledHere(call)]
    if (wasPolled !== isPolled) polled(isPolled ? 1 : -1)
    else if (isPolled && was !== is) push.update()
  }

  /** Stands for the election of the task, and asks what others know of it: other tabs, and other calls of this page. */
  function join(entry: CallEntry, taskId: string): void {
    if (!tabs.isAlone) {
      entry.leadership = tabs.leadershipOf(taskId)
      membership.join(entry, entry.leadership)
      tabs.postSyncRequest(taskId)
    }
    const sibling = byTask.get(taskId)?.find((other) => other !== entry && other.call.stage === 'following')
    for (const message of sibling?.call.stage === 'following' ? knownMessages(sibling.call, look()) : []) {
      dispatch(entry, { type: 'message', message, isOwn: false })
    }
  }

  /** Nobody in this page follows the task any more. */
  function release(taskId: string): void {
    polls.drop(taskId)
    port.release?.(taskId)
  }

  function polled(change: 1 | -1): void {
    polledHere += change
    if (polledHere > 0) push.update()
    else push.close()
  }

  function addToIndex(taskId: string, entry: CallEntry): void {
    if (byTask.size === 0) subscriptions = listenToPage()
    const entries = byTask.get(taskId)
    if (entries === undefined) byTask.set(taskId, [entry])
    else entries.push(entry)
  }

  function removeFromIndex(taskId: string, entry: CallEntry): void {
    const others = (byTask.get(taskId) ?? []).filter((one) => one !== entry)
    if (others.length > 0) byTask.set(taskId, others)
    else byTask.delete(taskId)
    if (byTask.size > 0) return
    for (const unsubscribe of subscriptions) unsubscribe()
  }

  function listenToPage(): Unsubscribe[] {
    const toAll = (event: CallEvent) => {
      for (const entry of [...tracked()]) dispatch(entry, event)
    }
    return [
      environment.onOnlineChange(() => toAll({ type: 'online' })),
      environment.onVisibilityChange(() => toAll({ type: 'wake' })),
      environment.onPageHide(() => {
        for (const entry of tracked()) void write(entry)
        polls.abort()
      }),
      environment.onPageShow(() => {
        toAll({ type: 'page-shown' })
        for (const entry of [...tracked()]) comeBack(entry)
      }),
    ]
  }

  /** While it was away this page received no messages, and its last ones may not have been delivered. */
  function comeBack(entry: CallEntry): void {
    const { call } = entry
    if (call.stage === 'following') {
      const { taskId } = call.task
      tabs.postSyncRequest(taskId)
      // Only what the server asked for: of the task itself the others may have heard more since.
      const { earliestAt: nextPollAt } = call
      if (nextPollAt > environment.now()) tabs.postTask(taskId, { type: 'poll-aborted', nextPollAt })
    }
    options.onPageShown(entry)
  }

  function* tracked(): Iterable<CallEntry> {
    for (const entries of byTask.values()) yield* entries
  }

  function followersOf(taskId: string): Following[] {
    const following: Following[] = []
    for (const { call } of byTask.get(taskId) ?? []) if (call.stage === 'following') following.push(call)
    return following
  }

  function receive(taskId: string, event: CallEvent): void {
    for (const entry of [...(byTask.get(taskId) ?? [])]) dispatch(entry, event)
  }

  /** What the server withdraws, or another tab has answered, is no longer sent from here. */
  function dropWithdrawn(entry: CallEntry): void {
    if (entry.pending === undefined) return
    const inputs = 'inputs' in entry.call ? entry.call.inputs : undefined
    for (const [key, { controller, resolve }] of entry.pending) {
      if (resolve !== undefined || inputs?.has(key)) continue
      entry.pending.delete(key)
      controller.abort()
    }
  }

  function carryOut(entry: CallEntry, effect: Effect): void {
    const { call } = entry
    const { callId } = call
    if (!isTracked(call)) return
    const { taskId } = call.task
    switch (effect.type) {
      case 'poll':
        return polls.add(taskId)
      case 'post':
        return post(entry, taskId, effect.message)
      case 'hold-sign-in':
        return port.holdSignIn?.()
      case 'read-note':
        return void readNote(entry, taskId)
      case 'lead':
        return entry.leadership?.take()
      case 'end':
        return void finish(entry, effect.end)
      case 'handle-input':
        return responses.handle(entry, effect.inputKeys)
      case 'record':
        return
      case 'cancel-stuck':
        return void port.cancelTask(taskId).catch((error: unknown) => options.onError(error, callId, 'cancel'))
      case 'report':
        return options.onError(effect.error, callId, effect.operation)
    }
  }

  /** Tells the other tabs, and the other calls of this page that refer to the task, what was done to it. */
  function post(entry: CallEntry, taskId: string, message: TaskMessage): void {
    tabs.postTask(taskId, message)
    if (message.type === 'snapshot') return
    for (const other of [...(byTask.get(taskId) ?? [])]) {
      if (other !== entry) dispatch(other, { type: 'message', message, isOwn: false })
    }
  }

  async function readNote(entry: CallEntry, taskId: string): Promise<void> {
    const stored = (await records.read(entry.call.callId))?.task
    const isNoted = stored?.taskId === taskId && stored.nextPollAt !== undefined
    dispatch(entry, { type: 'noted', nextPollAt: isNoted ? resumeAt(stored, environment.now()) : undefined })
  }

  async function write(entry: CallEntry, ifMissing = false, lost?: TaskRecordTask['lost']): Promise<void> {
    const { callId } = entry.call
    // Not what was posted alone: what has been heard in the meantime counts, too.
    if (ifMissing && isRecorded((await records.read(callId))?.task, recordOf(entry.call, owner, environment.now())))
      return
    const now = look()
    const { call } = entry
    if (!isTracked(call) || call.record === 'removed' || entry.left !== undefined) return
    const record = recordOf(call, owner, now, lost)
    const isFirst = call.record === 'unwritten'
    const isThere = await (isFirst ? records.write(record) : records.update(record, call.record !== 'failed'))
    if (isThere || isFirst) dispatch(entry, { type: 'recorded', record: isThere ? 'kept' : 'failed' })
  }

  async function finish(entry: CallEntry, end: TerminalTask | Error): Promise<void> {
    const { callId, name } = entry.call
    try {
      if (end instanceof Error) throw end
      await settle(entry, { result: await port.completeCall(name, taskOutcome(end, callId)) })
    } catch (error) {
      await settle(entry, { error: asError(error) })
    }
  }

  async function settle(entry: CallEntry, outcome: Outcome, isForeign = false, task?: Task): Promise<void> {
    const { call } = entry
    const { callId } = call
    const error = 'error' in outcome ? outcome.error : undefined
    if (!isForeign) {
      if (!isTracked(call) && call.key !== undefined) tabs.postCall(callId, { type: 'settled', outcome })
      await close(entry, error)
    }
    entry.unlock?.()
    if (entry.left !== undefined) return
    if (isTracked(call)) entry.record = recordOf(call, owner, environment.now())
    dispatch(entry, { type: 'settled', outcome, ...(task && { task }) })
    if ('error' in outcome) entry.reject(outcome.error)
    else entry.resolve(outcome.result)
    options.onSettled(entry)
  }

  async function close(entry: CallEntry, error: Error | undefined): Promise<void> {
    const { call } = entry
    const fate = recordFate(call, error, entry.isSent === true, port.era)
    const lost = error instanceof TaskExpiredError ? { at: environment.now(), reason: error.reason } : undefined
    if (fate === 'keep') await write(entry, false, lost)
    if (fate !== 'remove' || entry.left !== undefined) return
    dispatch(entry, { type: 'recorded', record: 'removed' })
    await records.remove(call.callId, recordOf(call, owner, environment.now()))
  }

  /** The task may be over by now, or the call made anew, while other pages still show the input request. */
  async function noteResponded(entry: CallEntry, taskId: string, inputKey: string): Promise<void> {
    if (taskIdOf(entry.call) === taskId) return dispatch(entry, { type: 'responded', inputKey })
    if (entry.left !== undefined) return
    tabs.postTask(taskId, { type: 'responded', inputKey })
    const stored = await records.read(entry.call.callId)
    if (stored?.task?.taskId !== taskId) return
    const answered = [...stored.task.answered, inputKey]
    await records.update({ ...stored, task: { ...stored.task, answered } }, true)
  }

  /** Sends a request until the server has taken it, or the call is left. */
  async function deliverFor(
    entry: CallEntry,
    taskId: string,
    request: Pick<DeliveryOptions, 'send' | 'inLine' | 'onRetry'>,
  ): Promise<void> {
    const controller = new AbortController()
    entry.requests ??= new Set()
    entry.requests.add(controller)
    try {
      await deliver({ ...request, taskId, environment, policy, signal: controller.signal })
    } finally {
      entry.requests.delete(controller)
    }
  }

  async function sendCancel(entry: CallEntry, taskId: string): Promise<void> {
    const { callId } = entry.call
    // The call may be made anew while this is under way.
    const isCurrent = () => taskIdOf(entry.call) === taskId
    dispatch(entry, { type: 'cancel', status: 'sending' })
    try {
      await deliverFor(entry, taskId, {
        send: (signal) => port.cancelTask(taskId, signal),
        onRetry: (error) => {
          options.onError(error, callId, 'cancel')
          if (isCurrent()) dispatch(entry, { type: 'cancel', status: 'retrying', error })
        },
      })
      if (isCurrent()) dispatch(entry, { type: 'cancel', status: 'requested' })
    } catch (error) {
      // A page that goes away does not know whether the server has heard.
      if (entry.left !== undefined) throw entry.left
      if (isCurrent()) {
        delete entry.cancelling
        dispatch(entry, { type: 'cancel', status: 'none', error: asError(error) })
      }
      throw error
    }
  }

  return {
    create: (call) => {
      let resolve: CallEntry['resolve'] = () => {}
      let reject: CallEntry['reject'] = () => {}
      const outcome = new Promise<CallToolResult>((onResult, onError) => {
        resolve = onResult
        reject = onError
      })
      // Callers that want the outcome await it; the store has it in any case.
      outcome.catch(() => {})
      return { call, shown: shownState(call), outcome, resolve, reject, observers: 0, wakeAt: 0, place: -1 }
    },
    dispatch,
    receive,
    write,
    observe: (entry) => {
      if (options.followsUnobserved) return () => {}
      entry.observers += 1
      dispatch(entry, { type: 'observed' })
      let isObserving = true
      return () => {
        if (!isObserving) return
        isObserving = false
        // A component that unmounts and mounts again in the same turn has not gone away.
        environment.setTimeout(() => {
          entry.observers -= 1
          if (entry.observers === 0) dispatch(entry, { type: 'unobserved' })
        }, 0)
      }
    },
    cancel: async (entry) => {
      const { call } = entry
      if (entry.left !== undefined || call.stage === 'settled' || call.stage === 'ending') return
      if (!isTracked(call)) return entry.start?.abort(new TaskCancelledError(undefined, { callId: call.callId }))
      entry.cancelling ??= sendCancel(entry, call.task.taskId)
      return entry.cancelling
    },
    respond: responses.respond,
    ask: responses.ask,
    settle,
    leave: (entry, reason) => {
      if (entry.left !== undefined) return
      const { call } = entry
      entry.left = reason
      scheduler.set(entry, undefined)
      if (call.stage === 'following') membership.leave(entry)
      const taskId = taskIdOf(call)
      if (taskId !== undefined) removeFromIndex(taskId, entry)
      if (taskId !== undefined && call.stage === 'following' && followersOf(taskId).length === 0) release(taskId)
      if (isPolledHere(call)) polled(-1)
      entry.start?.abort(reason)
      for (const controller of entry.requests ?? []) controller.abort(reason)
      for (const { controller } of entry.pending?.values() ?? []) controller.abort()
      entry.reject(reason)
    },
    knownOf: (taskId) => {
      const [follower] = followersOf(taskId)
      return follower === undefined ? [] : knownMessages(follower, environment.now())
    },
    tracked,
    close: () => {
      scheduler.close()
      push.close()
    },
  }
}

/** The task that messages about are for this call; an ended one needs none. */
function taskIdOf(call: Call): string | undefined {
  return call.stage === 'following' || call.stage === 'resting' ? call.task.taskId : undefined
}
