import type { CallToolResult } from '../protocol/callToolResult.js'
import { TaskCancelledError } from '../protocol/errors.js'
import { bareTask, type DetailedTask, type Task } from '../protocol/task.js'
import { isEqual } from './isEqual.js'
import type { OpenQuestions } from './questions.js'
import type { ToolCallNetwork, ToolCallPhase, ToolCallState } from './toolCallState.js'

/** Everything that can happen to a call. */
export type ToolCallEvent =
  /** The call turned out to be one that an earlier page made. */
  | { readonly type: 'recalled'; readonly startedAt: number }
  /** The `tools/call` was answered by a task, or a task of an earlier visit is taken up. */
  | { readonly type: 'created'; readonly task: Task }
  /** An answer arrived that brought nothing new. */
  | { readonly type: 'poll-answered' }
  /** A snapshot arrived. `inputRequests` are the questions in it that wait for somebody. */
  | { readonly type: 'snapshot'; readonly task: DetailedTask; readonly inputRequests: OpenQuestions }
  | {
      readonly type: 'poll-failed'
      readonly error: Error
      readonly failureCount: number
      readonly network: ToolCallNetwork
    }
  | { readonly type: 'blocked'; readonly network: ToolCallNetwork }
  | { readonly type: 'unblocked' }
  /** A question was asked, answered or withdrawn. */
  | { readonly type: 'questions'; readonly inputRequests: OpenQuestions }
  | { readonly type: 'cancel-requested' }
  /** Another tab's request to cancel came to nothing. */
  | { readonly type: 'cancel-withdrawn' }
  | { readonly type: 'cancel-failed'; readonly error: Error }
  | { readonly type: 'resolved'; readonly result: CallToolResult; readonly task: Task | undefined }
  | { readonly type: 'rejected'; readonly error: Error; readonly task: Task | undefined }

/** True where nothing that happens can change the state any more. */
export function isSettled(phase: ToolCallPhase): boolean {
  return phase === 'completed' || phase === 'failed' || phase === 'cancelled'
}

/**
 * The next state of a call. Pure, and the only place where it changes: the same reference comes back
 * where nothing has changed, so that a poll that brings nothing new renders nothing.
 */
export function toolCallReducer(state: ToolCallState, event: ToolCallEvent): ToolCallState {
  if (isSettled(state.phase)) return state
  switch (event.type) {
    case 'recalled':
      return patch(state, { startedAt: event.startedAt })
    case 'created':
      return patch(state, { task: event.task, phase: phaseOf(event.task, state.phase) })
    case 'poll-answered':
      return recovered(state)
    case 'snapshot':
      return recovered(withSnapshot(state, event))
    case 'poll-failed':
      return patch(state, { network: event.network, failureCount: event.failureCount, lastError: event.error })
    case 'blocked':
      return patch(state, { network: event.network })
    case 'unblocked':
      return patch(state, { network: state.failureCount > 0 ? 'retrying' : 'ok' })
    case 'questions':
      return patch(state, { inputRequests: event.inputRequests, phase: phaseAsked(state, event.inputRequests) })
    case 'cancel-requested':
      return patch(state, { isCancelling: true })
    case 'cancel-withdrawn':
      return patch(state, { isCancelling: false })
    case 'cancel-failed':
      return patch(state, { isCancelling: false, lastError: event.error })
    case 'resolved':
      return settled(state, { phase: 'completed', result: event.result }, event.task)
    case 'rejected': {
      const phase = event.error instanceof TaskCancelledError ? 'cancelled' : 'failed'
      return settled(state, { phase, error: event.error }, event.task)
    }
  }
}

function withSnapshot(state: ToolCallState, event: Extract<ToolCallEvent, { type: 'snapshot' }>): ToolCallState {
  const { task, inputRequests } = event
  return patch(state, { task: bareTask(task), phase: phaseOf(task, state.phase), inputRequests })
}

function phaseOf(task: Task, current: ToolCallPhase): ToolCallPhase {
  if (task.status === 'working' || task.status === 'input_required') return task.status
  // A terminal task still has to deliver its outcome: `resolved` and `rejected` end the call.
  return current === 'calling' ? 'working' : current
}

/** Before there is a task, the questions alone say whether the call waits for input. */
function phaseAsked(state: ToolCallState, inputRequests: OpenQuestions): ToolCallPhase {
  if (state.task !== undefined) return state.phase
  return Object.keys(inputRequests).length > 0 ? 'input_required' : 'calling'
}

/** An answer arrived: whatever was wrong with the network is over. */
function recovered(state: ToolCallState): ToolCallState {
  return patch(state, { network: 'ok', failureCount: 0, lastError: undefined })
}

function settled(state: ToolCallState, outcome: Partial<ToolCallState>, task: Task | undefined): ToolCallState {
  const last = task === undefined ? state.task : bareTask(task)
  return patch(recovered(state), {
    ...outcome,
    task: last,
    inputRequests: {},
    isCancelling: false,
    nextPollAt: undefined,
  })
}

type Patch = { readonly [K in keyof ToolCallState]?: ToolCallState[K] | undefined }

/** The state with these members; equal members keep their reference, and where all are equal the state keeps its own. */
function patch(state: ToolCallState, changes: Patch): ToolCallState {
  const next: Record<string, unknown> = { ...state }
  let changed = false
  for (const [key, value] of Object.entries(changes)) {
    const current = state[key as keyof ToolCallState]
    if (isEqual(current, value)) continue
    changed = true
    if (value === undefined) delete next[key]
    else next[key] = value
  }
  return changed ? (next as unknown as ToolCallState) : state
}
