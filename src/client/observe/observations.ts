// Loaded only where somebody observes, so it imports nothing but types: what it shared with the first load would be
// taken out of that into a file of its own.
import type { Call, TrackedCall } from '../../call/call.js'
import type { CallChange } from '../../call/callChange.js'
import type { InputState, Inputs } from '../../call/inputs.js'
import type { TaskRequestError } from '../../protocol/errors.js'
import type { CallObservation, PollReason } from './events.js'

const NO_INPUTS: Inputs = new Map()

type WithoutCall<T> = T extends unknown ? Omit<T, 'at' | 'callId' | 'tool' | 'task'> : never
type Said = WithoutCall<CallObservation>

/** Returns a function that says what a change of a call was, in the order in which it came about. */
export function createObservations(hash: (text: string) => string): (change: CallChange) => CallObservation[] {
  /** Why the next poll of a call comes when it does. */
  const reasons = new Map<string, PollReason>()
  const known = new Set<string>()

  return (change) => {
    const { before, after, at } = change
    const { callId, name: tool } = after
    const reason = reasons.get(callId) ?? 'interval'
    const next = reasonOf(change) ?? reason
    const isNew = !known.has(callId) && before.stage === 'waiting'
    known.add(callId)
    reasons.set(callId, next)
    if (after.stage === 'settled') {
      known.delete(callId)
      reasons.delete(callId)
    }
    const task = isTracked(after) ? after.task : isTracked(before) ? before.task : undefined
    const of = { callId, tool, ...(task && { task: hash(task.taskId).slice(0, 7) }) }
    const started = { type: 'call-started', at: before.startedAt, callId, tool } as const
    return [...(isNew ? [started] : []), ...said(change, reason, next).map((what) => ({ ...what, ...of, at: at.now }))]
  }
}

function said(change: CallChange, reason: PollReason, nextReason: PollReason): Said[] {
  const { before, after, effects } = change
  return [
    ...saidOfEvent(change, reason, nextReason),
    ...saidOfPoller(before, after),
    ...saidOfInputs(before, after),
    ...saidOfCancel(before, after),
    ...effects.flatMap((effect): Said[] => (effect.type === 'record' ? [{ type: 'record-written' }] : [])),
  ]
}

/** Why the poll that this change has scheduled comes when it does; undefined where it has scheduled none. */
function reasonOf({ before, after, event, at }: CallChange): PollReason | undefined {
  if (!isTracked(after)) return undefined
  const interval = at.isPushed ? 'safety-interval' : 'interval'
  const isMoved = !isTracked(before) || before.dueAt !== after.dueAt
  switch (event.type) {
    case 'created':
      return interval
    case 'adopted':
      return 'resumed'
    case 'next-poll-read':
      return after.foreignPollAt > 0 ? 'takeover' : undefined
    case 'message':
      if (event.message.type === 'snapshot') return interval
      return event.message.type === 'poll-failed' ? backoffOf(event.message) : undefined
    case 'pushed':
    case 'push-changed':
      return isMoved ? interval : undefined
    case 'online':
      return isMoved ? 'back-online' : undefined
    default:
      return isMoved && after.isHinted ? 'hint' : undefined
  }
}

/** A server that says when to come back is believed, unless the backoff is longer. */
function backoffOf({ error, earliestAt, nextPollAt }: { error: Error; earliestAt: number; nextPollAt: number }) {
  const isAsked = isRequestError(error) && error.retryAfterMs !== undefined
  return isAsked && nextPollAt <= earliestAt ? 'retry-after' : 'backoff'
}

function saidOfEvent({ before, after, event, at }: CallChange, reason: PollReason, nextReason: PollReason): Said[] {
  const next = nextOf(after, nextReason)
  switch (event.type) {
    case 'sending':
      return [{ type: 'call-sent' }]
    case 'created': {
      const { pollIntervalMs, ttlMs } = event.task
      return [{ type: 'task-created', ttlMs, ...(pollIntervalMs !== undefined && { pollIntervalMs }), ...next }]
    }
    case 'adopted':
      return [{ type: 'task-resumed', ...next }]
    case 'poll-sent':
      return [{ type: 'poll-sent', reason }]
    case 'pushed':
      return [{ type: 'push-event', status: event.task.status, isUnchanged: isUnchanged(before, after), ...next }]
    case 'push-changed':
      return [{ type: at.isPushed ? 'push-opened' : 'push-closed', ...next }]
    case 'message':
      return saidOfMessage(before, after, event, at.now, next)
    case 'recorded':
      if (event.record === 'failed') return [{ type: 'record-failed' }]
      return event.record === 'removed' ? [{ type: 'record-removed' }] : []
    case 'settled': {
      if (after.stage !== 'settled') return []
      const { outcome } = after
      const error = 'error' in outcome ? outcome.error : undefined
      const isError = 'result' in outcome && outcome.result.isError === true
      const ended = error?.name === 'TaskCancelledError' ? 'cancelled' : 'failed'
      const ms = at.now - after.startedAt
      const how = { ...(error && { error }), ...(isError && { isError }) }
      return [{ type: 'call-settled', phase: error ? ended : 'completed', ms, ...how }]
    }
    default:
      return []
  }
}

type Message = Extract<CallChange['event'], { type: 'message' }>

function saidOfMessage(
  before: Call,
  after: Call,
  { message, isOwn }: Message,
  now: number,
  next: ReturnType<typeof nextOf>,
): Said[] {
  const ms = isTracked(before) ? now - before.lastPollAt : 0
  switch (message.type) {
    case 'snapshot': {
      const { status } = message.task
      if (!isOwn) return [{ type: 'tab-event', status, isUnchanged: isUnchanged(before, after) }]
      return [{ type: 'poll-answered', ms, status, isUnchanged: isUnchanged(before, after), ...next }]
    }
    case 'poll-failed':
    case 'ended': {
      if (!isOwn) return []
      const { error } = message
      const failureCount = isTracked(before) ? before.failureCount + 1 : 1
      return [{ type: 'poll-failed', ms, kind: kindOf(error), error, failureCount, ...next }]
    }
    default:
      return []
  }
}

function kindOf(error: Error): Extract<Said, { type: 'poll-failed' }>['kind'] {
  if (isRequestError(error)) return error.kind
  return error.name === 'TaskProtocolError' ? 'protocol' : 'other'
}

function isRequestError(error: Error): error is TaskRequestError {
  return error.name === 'TaskRequestError'
}

function isTracked(call: Call): call is TrackedCall {
  return 'poller' in call
}

function nextOf(call: Call, nextReason: PollReason) {
  return call.stage === 'following' ? { nextPollAt: call.dueAt, nextReason } : {}
}

function isUnchanged(before: Call, after: Call): boolean {
  return isTracked(before) && isTracked(after) && before.task === after.task && before.inputs === after.inputs
}

function saidOfPoller(before: Call, after: Call): Said[] {
  if (!isTracked(before) || !isTracked(after)) return []
  const [was, is] = [before, after].map(({ poller }: TrackedCall) => poller !== 'another-tab')
  if (was === is) return []
  return [{ type: is ? 'leader-gained' : 'leader-lost' }]
}

function saidOfInputs(before: Call, after: Call): Said[] {
  const [was, is] = [inputsOf(before), inputsOf(after)]
  const gone = [...was].flatMap(([inputKey, { status }]): Said[] =>
    is.has(inputKey) || status === 'answered' || after.stage === 'ending' || after.stage === 'settled'
      ? []
      : [{ type: 'input-withdrawn', inputKey }],
  )
  return [...[...is].flatMap(([inputKey, input]) => saidOfInput(inputKey, was.get(inputKey), input)), ...gone]
}

function inputsOf(call: Call): Inputs {
  return 'inputs' in call ? call.inputs : NO_INPUTS
}

function saidOfInput(inputKey: string, was: InputState | undefined, { status, error }: InputState): Said[] {
  if (was === undefined) return [{ type: 'input-asked', inputKey }]
  if (was.status === status) return []
  switch (status) {
    case 'sending':
      return [{ type: 'input-sent', inputKey }]
    case 'answered':
      return [{ type: 'input-acknowledged', inputKey }]
    case 'rejected':
      return [{ type: 'input-rejected', inputKey, ...(error && { error }) }]
    default:
      return []
  }
}

function saidOfCancel(before: Call, after: Call): Said[] {
  if (!isTracked(after)) return []
  const was = isTracked(before) ? before.cancel : 'none'
  const { cancel } = after
  return was === cancel ? [] : [{ type: 'cancel', status: cancel === 'none' ? 'refused' : cancel }]
}
