import { TaskCancelledError } from '../protocol/errors.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import { isTerminal } from '../protocol/task.js'
import type { Call, Repeating, TrackedCall } from './call.js'
import type { Inputs } from './inputs.js'
import type { InputResponseState, RunningToolCall, ToolCallPhase, ToolCallState } from './toolCallState.js'

const NOTHING: Readonly<Record<string, never>> = {}
const NO_REQUESTS = { inputRequests: NOTHING, inputResponses: NOTHING }

/**
 * A call as the store and the hooks show it. Where nothing that is shown has changed the state before is returned, so
 * that a poll which brings nothing new renders nothing.
 */
export function shownState(call: Call, before?: ToolCallState, callBefore?: Call): ToolCallState {
  if (before !== undefined && callBefore !== undefined && isShownAlike(callBefore, call)) return before
  const next = project(call, before)
  return before !== undefined && isSame(before, next) ? before : next
}

/** True if two states of a call differ at most in what is not shown, as when its next poll was scheduled. */
function isShownAlike(a: Call, b: Call): boolean {
  return (
    a.stage === 'following' &&
    b.stage === 'following' &&
    a.startedAt === b.startedAt &&
    a.task === b.task &&
    a.inputs === b.inputs &&
    a.cancel === b.cancel &&
    a.blocked === b.blocked &&
    a.failure === b.failure &&
    a.failureCount === b.failureCount
  )
}

function project(call: Call, before: ToolCallState | undefined): ToolCallState {
  const { callId, name, arguments: args, startedAt } = call
  // Members are added before those of another object: to a copy of it they are slow to add.
  const quiet = {
    callId,
    name,
    startedAt,
    ...NO_REQUESTS,
    isCancelling: false,
    network: 'ok' as const,
    failureCount: 0,
    ...(args && { arguments: args }),
  }
  switch (call.stage) {
    case 'waiting':
      return { phase: 'calling', ...quiet, network: call.for === 'network' ? 'offline' : 'ok' }
    case 'calling': {
      const shown = shownInputs(call.inputs, before)
      const phase = shown.inputRequests === NOTHING ? 'calling' : 'input_required'
      return { phase, ...quiet, ...shown, ...shownRepeating(call.repeating) }
    }
    case 'following':
    case 'resting': {
      const { task, blocked, failure, failureCount } = call
      return {
        phase: phaseOf(call, before?.phase),
        task,
        ...quiet,
        ...shownInputs(call.inputs, before),
        ...shownCancel(call),
        network: blocked ?? failure?.network ?? 'ok',
        failureCount,
        ...(task.progress && { progress: task.progress }),
        ...(failure && { lastError: failure.error }),
      }
    }
    case 'ending':
      return { phase: phaseOf(call, before?.phase), task: before?.task ?? call.task, ...quiet, ...shownCancel(call) }
    case 'settled': {
      const { outcome, endedAt } = call
      const task = call.task && { task: call.task }
      if ('result' in outcome) return { phase: 'completed', result: outcome.result, endedAt, ...quiet, ...task }
      const { error } = outcome
      return { phase: error instanceof TaskCancelledError ? 'cancelled' : 'failed', error, endedAt, ...quiet, ...task }
    }
  }
}

function shownRepeating(repeating: Repeating | undefined): Partial<RunningToolCall> | undefined {
  if (repeating === undefined) return undefined
  const { error, failureCount, isOffline } = repeating
  return { network: isOffline ? 'offline' : 'retrying', failureCount, lastError: error }
}

function shownCancel({ cancel }: TrackedCall): Pick<RunningToolCall, 'isCancelling' | 'cancelStatus'> | undefined {
  return cancel === 'none' ? undefined : { isCancelling: true, cancelStatus: cancel }
}

function phaseOf({ task }: TrackedCall, before: ToolCallPhase | undefined): 'working' | 'input_required' {
  // A task that has ended still has to deliver its outcome.
  const status = isTerminal(task.status) ? before : task.status
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
function isSame<T extends object>(a: T, b: T): boolean {
  const keys = Object.keys(b) as (keyof T)[]
  return keys.length === Object.keys(a).length && keys.every((key) => Object.is(a[key], b[key]))
}
