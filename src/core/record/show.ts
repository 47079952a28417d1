import { TaskCancelledError, TaskExpiredError } from '../protocol/errors.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import { isTerminal } from '../protocol/task.js'
import type { Call, CallStage } from './call.js'
import type { Inputs } from './inputs.js'
import { isLost, type TaskRecord } from './record.js'
import type { InputResponseState, RunningToolCall, SettledToolCall, ToolCallState } from './toolCallState.js'

const NOTHING: Readonly<Record<string, never>> = {}
const CANCELLING = { isCancelling: true, cancelStatus: 'sending' } as const
const NO_REQUESTS = { inputRequests: NOTHING, inputResponses: NOTHING }

/**
 * A call as the store and the hooks show it: a function of the call and the record of its task alone. `before` is what was
 * shown: what has not changed keeps its reference, so that a poll which brings nothing new renders nothing.
 */
export function show(call: Call, record: TaskRecord | undefined, before?: ToolCallState): ToolCallState {
  const next = project(call, record, before)
  return before !== undefined && isSame(before, next) ? before : next
}

/** True if two records of a task differ at most in what is not shown, as when its next poll was scheduled. */
export function isShownAlike(a: TaskRecord, b: TaskRecord): boolean {
  return (
    a.task === b.task &&
    a.here === b.here &&
    a.failure === b.failure &&
    a.cancelling === b.cancelling &&
    a.end === b.end
  )
}

function project(call: Call, record: TaskRecord | undefined, before: ToolCallState | undefined): ToolCallState {
  const { stage } = call
  switch (stage.name) {
    case 'waiting':
      return running(call, 'calling', {
        network: stage.for === 'network' ? 'offline' : 'ok',
        ...(stage.isCancelling && CANCELLING),
      })
    case 'calling':
      return calling(call, stage, before)
    case 'task':
    case 'ending':
    case 'left':
      if (record === undefined) return before ?? running(call, 'calling', {})
      return stage.name === 'task' ? following(call, record, before) : ending(call, record, before)
    case 'recorded':
      return earlier(call, stage)
    case 'settled':
      return settled(call, stage)
  }
}

type Shown = Partial<RunningToolCall>

function running(call: Call, phase: RunningToolCall['phase'], more: Shown): RunningToolCall {
  return { phase, ...quiet(call), ...more }
}

/** What every call shows, where there is nothing to say. */
function quiet({ callId, name, key, startedAt, arguments: args, meta }: Call) {
  return {
    callId,
    name,
    startedAt,
    ...NO_REQUESTS,
    isCancelling: false,
    network: 'ok' as const,
    failureCount: 0,
    ...(key !== undefined && { key }),
    ...(args && { arguments: args }),
    ...(meta && { meta }),
  }
}

type Stage<N extends CallStage['name']> = Extract<CallStage, { name: N }>

function calling(call: Call, stage: Stage<'calling'>, before?: ToolCallState): ToolCallState {
  const { inputs, failure, isOffline, isCancelling } = stage
  const shown = shownInputs(inputs, before)
  const phase = shown.inputRequests === NOTHING ? 'calling' : 'input_required'
  const { progress } = call
  return running(call, phase, {
    ...shown,
    ...(progress && { progress }),
    ...(failure && { network: 'retrying' as const, failureCount: failure.count, lastError: failure.error }),
    ...(isOffline && { network: 'offline' as const }),
    ...(isCancelling && CANCELLING),
  })
}

function following(call: Call, record: TaskRecord, before: ToolCallState | undefined): ToolCallState {
  const { task, failure, here } = record
  const lastError = here.cancelError ?? failure?.error
  return running(call, phaseOf(record, before), {
    task,
    ...shownInputs(here.inputs, before),
    ...shownCancel(record),
    network: here.blocked ?? failure?.network ?? 'ok',
    failureCount: failure?.count ?? 0,
    ...shownProgress(call, record, before),
    ...(lastError && { lastError }),
  })
}

function ending(call: Call, record: TaskRecord, before: ToolCallState | undefined): ToolCallState {
  return running(call, phaseOf(record, before), {
    task: before?.task ?? record.task,
    ...shownProgress(call, record, before),
    ...shownCancel(record),
  })
}

function earlier(call: Call, { record, endedAt }: Stage<'recorded'>): ToolCallState {
  const { task } = record
  const more = { ...quiet(call), endedAt, ...(task && { task: task.task }) }
  if (task === undefined || !isLost(task)) return { phase: 'ended', ...more }
  const error = new TaskExpiredError(task.lost.reason, {
    taskId: task.task.taskId,
    callId: call.callId,
  })
  return { phase: 'failed', error, ...more }
}

function settled(call: Call, { outcome, endedAt, task }: Stage<'settled'>): SettledToolCall {
  const more = { endedAt, ...quiet(call), ...(task && { task }) }
  if ('result' in outcome) return { phase: 'completed', result: outcome.result, ...more }
  const { error } = outcome
  return { phase: error instanceof TaskCancelledError ? 'cancelled' : 'failed', error, ...more }
}

/** What the snapshot says counts more than what was notified. A task that has ended says nothing, so what was shown stays. */
function shownProgress(call: Call, { task }: TaskRecord, before: ToolCallState | undefined): Shown | undefined {
  const progress = task.progress ?? call.progress ?? (isTerminal(task.status) ? before?.progress : undefined)
  return progress && { progress }
}

/** What another tab sends, or this one will, is on its way. */
function shownCancel({ here, cancelling }: TaskRecord): Shown | undefined {
  const ofOthers = cancelling.isTaken ? 'requested' : 'sending'
  const cancelStatus = here.cancel ?? (cancelling.isWanted ? ofOthers : undefined)
  return cancelStatus && { isCancelling: true, cancelStatus }
}

function phaseOf({ task }: TaskRecord, before: ToolCallState | undefined): 'working' | 'input_required' {
  // A task that has ended still has to deliver its outcome.
  const status = isTerminal(task.status) ? before?.phase : task.status
  return status === 'input_required' ? status : 'working'
}

/** The input requests that are listed: those which the user is to respond to, until the server has taken the response. */
function shownInputs(
  inputs: Inputs,
  before: ToolCallState | undefined,
): Pick<ToolCallState, 'inputRequests' | 'inputResponses'> {
  if (inputs.size === 0) return NO_REQUESTS
  // Lists of members, since a server may name a key `__proto__`.
  const inputRequests: [string, InputRequest][] = []
  const inputResponses: [string, InputResponseState][] = []
  for (const [key, { request, status, isRetrying = false, error }] of inputs) {
    if (status === 'answered' || status === 'handling') continue
    inputRequests.push([key, request])
    const response = error === undefined ? { status, isRetrying } : { status, isRetrying, error }
    if (status !== 'open') inputResponses.push([key, response as InputResponseState])
  }
  return {
    inputRequests: sameOr(before?.inputRequests, Object.fromEntries(inputRequests)),
    inputResponses: sameOr(before?.inputResponses, Object.fromEntries(inputResponses), isSame),
  }
}

function sameOr<T>(
  before: Readonly<Record<string, T>> | undefined,
  next: Readonly<Record<string, T>>,
  isSameMember: (a: T, b: T) => boolean = Object.is,
): Readonly<Record<string, T>> {
  const keys = Object.keys(next)
  if (before === undefined || keys.length !== Object.keys(before).length) return keys.length === 0 ? NOTHING : next
  return keys.every((key) => Object.hasOwn(before, key) && isSameMember(before[key] as T, next[key] as T))
    ? before
    : next
}

/** True if two objects have the same members, each by reference. */
export function isSame<T extends object>(a: T, b: T): boolean {
  const keys = Object.keys(b) as (keyof T)[]
  return keys.length === Object.keys(a).length && keys.every((key) => Object.is(a[key], b[key]))
}
