import type { Environment, Unsubscribe } from '../environment/environment.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import type { Task } from '../protocol/task.js'
import type { RecordStore } from '../storage/recordStore.js'
import type { Call, CallEvent, CallRules, Outcome } from './call.js'
import type { CallTap } from './callChange.js'
import { abandon, type CallEntry, createEntry } from './callEntry.js'
import type { RecordOwner } from './callRecord.js'
import type { CallTabs } from './callTabs.js'
import { circumstancesOf, watchClock } from './circumstances.js'
import { createEffects } from './effects.js'
import { createFollowedTasks } from './followedTasks.js'
import type { InputHandlers } from './inputHandlers.js'
import { createInputResponses } from './inputResponses.js'
import { observeCall } from './observeCall.js'
import { listenToPage } from './pageEvents.js'
import { dropWithdrawn } from './pendingResponses.js'
import type { PushSubscription, PushSubscriptionOptions } from './pushSubscription.js'
import { createRecordWriter } from './recordWriter.js'
import { createScheduler } from './scheduler.js'
import { createSettling } from './settling.js'
import { shownState } from './shownState.js'
import type { TaskMessage } from './taskMessage.js'
import type { TaskPort } from './taskPort.js'
import { createTaskRequests } from './taskRequests.js'
import { transition, wakeAt } from './transition.js'

export interface CallRuntimeOptions {
  readonly port: TaskPort
  readonly environment: Environment
  readonly rules: CallRules
  readonly handlers: InputHandlers
  readonly records: Pick<RecordStore, 'write' | 'update' | 'read' | 'find' | 'remove'>
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
  /** Who observes what events make of calls. */
  readonly tap: CallTap
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
  /** `isForeign`: the outcome came from another tab, which has posted it to the others. */
  settle(entry: CallEntry, outcome: Outcome, isForeign?: boolean, task?: Task): Promise<void>
  /** Follows the call no longer. The task goes on and its record stays. */
  leave(entry: CallEntry, reason: Error): void
  /** What this page knows of a task, for another tab that asks. */
  knownOf(taskId: string): readonly TaskMessage[]
  /** The ids of the tasks that this tab polls. */
  polledTaskIds(): readonly string[]
  /** Every call in this page that has become a task and has not ended. */
  tracked(): Iterable<CallEntry>
  close(): void
}

export function createCallRuntime(options: CallRuntimeOptions): CallRuntime {
  const { environment, rules, tabs, followsUnobserved, onError, tap } = options
  const { policy } = rules
  const { setTimeout, clearTimeout } = environment

  function dispatch(entry: CallEntry, event: CallEvent, isLate = false): void {
    if (entry.left !== undefined) return
    const at = circumstancesOf(entry, environment, tabs, options.port, push.isPushed, { now: look(), isLate })
    const before = entry.call
    const { call, effects } = transition(before, event, at, rules)
    entry.call = call
    tap.onChange?.({ before, event, after: call, effects, at })
    // What is recorded survives whatever happens next.
    for (const effect of effects) if (effect.type === 'record') entry.written = write(entry, effect.ifMissing)
    if (call !== before) change(entry, before)
    for (const effect of effects) carryOut(entry, effect)
    const isNew = event.type === 'created' || event.type === 'adopted'
    if (isNew && !followsUnobserved && entry.observers === 0) dispatch(entry, { type: 'unobserved' })
  }

  function change(entry: CallEntry, before: Call): void {
    places.move(entry, before, entry.call)
    // It may have changed once more: what others know of its task reaches it in its new place.
    scheduler.set(entry, wakeAt(entry.call))
    dropWithdrawn(entry)
    const shown = shownState(entry.call, entry.shown, before)
    if (shown === entry.shown) return
    entry.shown = shown
    options.onChange(entry)
  }

  // A clock set back would otherwise lengthen every wait by as much.
  const look = watchClock(environment.now, (by) => {
    for (const entry of index.all()) dispatch(entry, { type: 'clock-set-back', by })
  })
  const scheduler = createScheduler<CallEntry>({ now: look, setTimeout, clearTimeout }, (entry, isLate) =>
    dispatch(entry, { type: 'wake' }, isLate),
  )
  const context = { ...options, policy, now: look, dispatch }
  const { index, push, polls, places, receive, knownOf, polledTaskIds } = createFollowedTasks({
    ...context,
    onFirst: () => listenToPage({ ...context, tracked: index.all, onHide, onShown: options.onPageShown }),
  })
  const onHide = () => {
    for (const entry of index.all()) void write(entry)
    polls.abort()
  }
  const { write, readNote, isAnswered, noteResponded, close } = createRecordWriter(context)
  const requests = createTaskRequests(context)
  const responses = createInputResponses({
    ...context,
    missingInput: rules.missingInput,
    isAnswered,
    deliver: async (entry, taskId, inputKey, response) => {
      await requests.update(entry, taskId, inputKey, response)
      await noteResponded(entry, taskId, inputKey)
    },
    onError: (error, callId) => onError(error, callId, 'respond'),
  })
  const { settle, finish } = createSettling({ ...context, closeRecord: close })
  const carryOut = createEffects({ ...context, polls, responses, index, readNote, finish })

  return {
    create: createEntry,
    dispatch,
    receive,
    write,
    observe: (entry) => (followsUnobserved ? () => {} : observeCall(entry, environment, dispatch)),
    cancel: requests.cancel,
    respond: responses.respond,
    ask: responses.ask,
    settle,
    leave: (entry, reason) => {
      if (entry.left !== undefined) return
      entry.left = reason
      scheduler.set(entry, undefined)
      places.leave(entry)
      abandon(entry, reason)
    },
    knownOf,
    polledTaskIds,
    tracked: index.all,
    close: () => {
      scheduler.close()
      push.close()
    },
  }
}
