// Loaded only where somebody observes, so it imports nothing but types: what it shared with the first load would be
// taken out of that into a file of its own.

import type { TaskRequestError } from '../../protocol/errors.js'
import type { InputState, Inputs } from '../../record/inputs.js'
import type { TaskRecord } from '../../record/record.js'
import type { CallChange, Known } from '../../run/tap.js'
import type { CallObservation, ScheduledPoll } from './events.js'
import type { OfFirstLoad } from './ofFirstLoad.js'

const NO_INPUTS: Inputs = new Map()

type WithoutCall<T> = T extends unknown ? Omit<T, 'at' | 'callId' | 'tool' | 'task'> : never
type Said = WithoutCall<CallObservation>

/** Returns a function that says what the difference of two records was, in the order in which it came about. */
export function createObservations({
  hash,
  withoutId,
}: Pick<OfFirstLoad, 'hash' | 'withoutId'>): (change: CallChange) => CallObservation[] {
  const known = new Set<string>()

  return (change) => {
    const { before, after, at } = change
    const { callId, name: tool, stage } = after.call
    const isNew = !known.has(callId) && before.call.stage.name === 'waiting'
    known.add(callId)
    if (stage.name === 'settled') known.delete(callId)
    const { taskId } = (after.task ?? before.task)?.task ?? {}
    const of = { callId, tool, ...(taskId !== undefined && { task: hash(taskId).slice(0, 7) }) }
    const nameless = (what: Said): Said =>
      'inputKey' in what ? { ...what, inputKey: withoutId(what.inputKey, taskId) } : what
    const started = { type: 'call-started', at: before.call.startedAt, callId, tool } as const
    return [...(isNew ? [started] : []), ...said(change).map((what) => ({ ...nameless(what), ...of, at }))]
  }
}

function said(change: CallChange): Said[] {
  const { before, after } = change
  return [
    ...saidOfSource(change),
    ...saidOfInputs(before, after),
    ...saidOfCancel(before.task, after.task),
    ...saidOfEnd(change),
  ]
}

function saidOfSource(change: CallChange): Said[] {
  const { after, from, isLeader } = change
  const next = nextOf(change)
  switch (from) {
    case 'sent':
      return [{ type: 'call-sent' }]
    case 'created': {
      const { pollIntervalMs, ttlMs = null } = after.task?.task ?? {}
      return [{ type: 'task-created', ttlMs, ...(pollIntervalMs !== undefined && { pollIntervalMs }), ...next }]
    }
    case 'resumed':
      return [{ type: 'task-resumed', ...next }]
    case 'poll-sent':
      return change.next ? [{ type: 'poll-sent', reason: change.next.why }] : []
    case 'poll':
      return saidOfPoll(change)
    case 'push':
    case 'tab':
      return saidOfTold(change)
    case 'push-opened':
    case 'push-closed':
      return [{ type: from, ...next }]
    case 'leader':
      return [{ type: isLeader ? 'leader-gained' : 'leader-lost' }]
    case 'record-written':
    case 'record-failed':
    case 'record-removed':
      return [{ type: from }]
    default:
      return []
  }
}

/** What the response to a poll says, or its failure. */
function saidOfPoll(change: CallChange): Said[] {
  const [was, is] = [change.before.task, change.after.task]
  if (was === undefined || is === undefined) return []
  const ms = change.at - is.sentAt
  const { end, failure } = is
  const error = end !== undefined && 'error' in end ? end.error : failure?.error
  if (error !== undefined && (end !== was.end || failure !== was.failure)) {
    const failureCount = failure === was.failure ? (was.failure?.count ?? 0) + 1 : (failure?.count ?? 1)
    return [{ type: 'poll-failed', ms, kind: kindOf(error), error, failureCount, ...nextOf(change) }]
  }
  if (is.heardAt === was.heardAt && end === was.end && is.pollingUntil === was.pollingUntil) return []
  return [{ type: 'poll-answered', ms, ...snapshotOf(was, is), ...nextOf(change) }]
}

/** What was pushed, or told by another tab. */
function saidOfTold(change: CallChange): Said[] {
  const [was, is] = [change.before.task, change.after.task]
  if (was === undefined || is === undefined) return []
  if (change.from === 'push') return [{ type: 'push-event', ...snapshotOf(was, is), ...nextOf(change) }]
  if (is.snapshotAt === was.snapshotAt && is.end === was.end) return []
  return [{ type: 'tab-event', ...snapshotOf(was, is) }]
}

function snapshotOf(was: TaskRecord, is: TaskRecord) {
  return { status: is.task.status, isUnchanged: was.task === is.task && was.here.inputs === is.here.inputs }
}

function kindOf(error: Error): Extract<Said, { type: 'poll-failed' }>['kind'] {
  if (isRequestError(error)) return error.kind
  return error.name === 'TaskProtocolError' ? 'protocol' : 'other'
}

function isRequestError(error: Error): error is TaskRequestError {
  return error.name === 'TaskRequestError'
}

function nextOf({ after, next }: CallChange): ScheduledPoll {
  if (next === undefined || after.task === undefined || after.task.end !== undefined) return {}
  return { nextPollAt: next.at, nextReason: next.why }
}

function saidOfInputs(before: Known, after: Known): Said[] {
  const [was, is] = [inputsOf(before), inputsOf(after)]
  const isOver = after.call.stage.name === 'settled' || after.task?.end !== undefined || after.task === undefined
  const gone = [...was].flatMap(([inputKey, { status }]): Said[] =>
    is.has(inputKey) || status === 'answered' || (isOver && before.task !== undefined)
      ? []
      : // A push may show the effect of a response before the server has acknowledged it.
        [{ type: status === 'sending' ? 'input-acknowledged' : 'input-withdrawn', inputKey }],
  )
  return [...[...is].flatMap(([inputKey, input]) => saidOfInput(inputKey, was.get(inputKey), input)), ...gone]
}

function inputsOf({ call, task }: Known): Inputs {
  if (task !== undefined) return task.here.inputs
  return call.stage.name === 'calling' ? call.stage.inputs : NO_INPUTS
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

function saidOfCancel(before: TaskRecord | undefined, after: TaskRecord | undefined): Said[] {
  if (after === undefined) return []
  const [was, is] = [cancelOf(before), cancelOf(after)]
  return was === is ? [] : [{ type: 'cancel', status: is ?? 'refused' }]
}

/** As `shownCancel` in record/show.ts. This file is loaded for those who observe a client, and shares no code with what is always there. */
function cancelOf(record: TaskRecord | undefined): 'sending' | 'retrying' | 'requested' | undefined {
  const ofOthers = record?.cancelling.isTaken ? 'requested' : 'sending'
  return record?.here.cancel ?? (record?.cancelling.isWanted ? ofOthers : undefined)
}

function saidOfEnd({ before, after, at }: CallChange): Said[] {
  const { stage, startedAt } = after.call
  if (stage.name !== 'settled' || before.call.stage.name === 'settled') return []
  const { outcome } = stage
  const error = 'error' in outcome ? outcome.error : undefined
  const isError = 'result' in outcome && outcome.result.isError === true
  const ended = error?.name === 'TaskCancelledError' ? 'cancelled' : 'failed'
  const how = { ...(error && { error }), ...(isError && { isError }) }
  return [{ type: 'call-settled', phase: error ? ended : 'completed', ms: at - startedAt, ...how }]
}
