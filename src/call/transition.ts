import type { InputRequest } from '../protocol/inputRequest.js'
import type { Call, CallEvent, CallRules, Circumstances, Effect, Following, RecordStatus, TrackedCall } from './call.js'
import { isTracked } from './call.js'
import { followTransition, track } from './following.js'
import { type Inputs, NO_INPUTS, withInput } from './inputs.js'
import { cancel, responded, setBack } from './tracked.js'

export interface Transition {
  readonly call: Call
  readonly effects: readonly Effect[]
}

/**
 * What an event makes of a call, and what is to be done because of it. Pure: everything that changes in a call
 * changes here, and the same reference comes back where nothing did. A call that is settled stays as it is.
 */
export function transition(call: Call, event: CallEvent, at: Circumstances, rules: CallRules): Transition {
  const effects: Effect[] = []
  if (call.stage === 'settled') return { call, effects }
  return { call: next(call, event, at, rules, effects), effects }
}

type Unsettled = Exclude<Call, { stage: 'settled' }>

function next(call: Unsettled, event: CallEvent, at: Circumstances, rules: CallRules, effects: Effect[]): Call {
  switch (event.type) {
    case 'settled': {
      const { callId, name, key, arguments: args, argumentsHash, startedAt } = call
      const task = event.task ?? (isTracked(call) ? call.task : undefined)
      const end = { outcome: event.outcome, endedAt: at.now, ...(task && { task }) }
      return { callId, name, key, arguments: args, argumentsHash, startedAt, stage: 'settled', ...end }
    }
    case 'created':
    case 'adopted':
      return call.stage === 'ending' ? call : track(call, event, at, rules, effects)
    case 'recorded':
      return isTracked(call) ? recorded(call, event.record) : call
    case 'responded':
      return call.stage === 'following' || call.stage === 'resting' ? responded(call, event.inputKey, effects) : call
    case 'cancel':
      return call.stage === 'following' || call.stage === 'resting' ? cancel(call, event, effects) : call
    case 'observed':
      if (call.stage !== 'resting') return call
      return followTransition({ ...call, stage: 'following' }, event, at, rules, effects)
    case 'clock-set-back':
      return isTracked(call) ? setBack(call, event.by) : call
    case 'progress':
      return { ...call, progress: event.progress, progressAt: at.now }
    case 'input':
      return 'inputs' in call ? changeInput(call, event.inputKey, event.input) : call
    default:
      if (call.stage === 'following') return followTransition(call, event, at, rules, effects)
      return untracked(call, event, rules)
  }
}

/** What the events that need no poll mean for a call that is not followed, or not yet. */
function untracked(call: Exclude<Unsettled, Following>, event: CallEvent, rules: CallRules): Call {
  switch (event.type) {
    case 'waiting':
      if (call.stage === 'calling') return withOffline(call, true)
      return call.stage === 'waiting' && call.for !== event.for ? { ...call, for: event.for } : call
    case 'found':
      return { ...call, startedAt: event.startedAt }
    case 'sending':
      if (call.stage === 'calling') return withOffline(call, false)
      return call.stage === 'waiting' ? { inputs: NO_INPUTS, ...call, stage: 'calling' } : call
    case 'call-failed': {
      if (call.stage !== 'calling') return call
      const failureCount = (call.repeating?.failureCount ?? 0) + 1
      return { ...call, inputs: NO_INPUTS, repeating: { error: event.error, failureCount, isOffline: false } }
    }
    case 'asked':
      if (call.stage !== 'calling') return call
      return { ...call, inputs: withInput(call.inputs, event.inputKey, asked(event.request, rules)) }
    default:
      return call
  }
}

function withOffline(call: Extract<Call, { stage: 'calling' }>, isOffline: boolean): Call {
  const { repeating } = call
  if (repeating === undefined || repeating.isOffline === isOffline) return call
  return { ...call, repeating: { ...repeating, isOffline } }
}

function asked(request: InputRequest, rules: CallRules): { request: InputRequest; status: 'handling' | 'open' } {
  return { request, status: rules.isHandled(request) ? 'handling' : 'open' }
}

function recorded<C extends TrackedCall>(call: C, record: RecordStatus): C {
  // A record that is gone must not come back.
  return call.record === record || call.record === 'removed' ? call : { ...call, record }
}

function changeInput<C extends Call & { readonly inputs: Inputs }>(
  call: C,
  inputKey: string,
  input: Extract<CallEvent, { type: 'input' }>['input'],
): C {
  const known = call.inputs.get(inputKey)
  // Withdrawn, or answered by another tab in the meantime.
  if (known === undefined || known.status === 'answered') return call
  return {
    ...call,
    inputs: withInput(call.inputs, inputKey, input && { request: known.request, status: known.status, ...input }),
  }
}

/** When to look at a call again, ms since the epoch; undefined: not before something happens. */
export function wakeAt(call: Call): number | undefined {
  if (call.stage !== 'following' || call.poll !== 'idle' || call.blocked !== undefined) return undefined
  switch (call.poller) {
    case 'another-tab':
      return Math.max(call.dueAt, call.leaderTimeoutAt)
    case 'syncing':
      return Math.max(call.listenUntil, call.foreignPollUntil)
    case 'checking':
      return undefined
    case 'this-tab':
      return Math.max(call.dueAt, call.foreignPollUntil)
  }
}

/** True if the task is polled by this tab, or about to be. */
export function isPolledHere(call: Call): call is Following {
  return call.stage === 'following' && call.poller !== 'another-tab'
}
