import { errorFromJson } from '../../core/protocol/errorJson.js'
import type { TaskError } from '../../core/protocol/errors.js'
import { isEqual } from '../../core/protocol/isEqual.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { type InputResponseState, isPhase, type ToolCallState } from '../../core/record/toolCallState.js'
import { type CallOnWire, givenKey } from './messages.js'

/**
 * The next value with the members of the one before that are equal: what has not changed keeps its reference, so that
 * nothing renders for it, and the form of an input request stays the same form.
 */
export function shareMembers<T extends JsonObject>(before: T | undefined, next: T): T {
  if (before === undefined) return next
  const members = Object.entries(next).map(([name, value]) => {
    const known = Object.hasOwn(before, name) ? before[name] : undefined
    if (isEqual(known, value)) return [name, known]
    const isOfKeys = name === 'inputRequests' && isJsonObject(known) && isJsonObject(value)
    return [name, isOfKeys ? shareMembers(known, value) : value]
  })
  const shared = Object.fromEntries(members) as T
  return isEqual(before, shared) ? before : shared
}

/** Errors that were read, by their JSON: each is one error, however often its call changes. */
const errors = new WeakMap<object, TaskError>()

function errorOf(json: unknown, callId: string): TaskError | undefined {
  if (!isJsonObject(json)) return undefined
  const error = errors.get(json) ?? errorFromJson({ ...json, callId })
  errors.set(json, error)
  return error
}

/** The state that the backend shows of a call, as this page names it. Undefined where it is none. */
export function decodeCall(wire: CallOnWire, callId: string): ToolCallState | undefined {
  if (!isPhase(wire.phase)) return undefined
  const { key, id: _, argumentsHash: __, task, inputRequests, inputResponses, error, lastError, ...rest } = wire
  const failure = errorOf(error, callId)
  const last = errorOf(lastError, callId)
  return {
    ...rest,
    ...givenKey(key),
    callId,
    // The id that the server gave it stays with the backend.
    ...(isJsonObject(task) && { task: taskOf(task, callId) }),
    inputRequests: isJsonObject(inputRequests) ? inputRequests : NOTHING,
    inputResponses: isJsonObject(inputResponses) ? responsesOf(inputResponses, callId) : NOTHING,
    ...(failure && { error: failure }),
    ...(last && { lastError: last }),
  } as unknown as ToolCallState
}

const NOTHING: JsonObject = {}

const tasks = new WeakMap<object, object>()

function taskOf(json: JsonObject, callId: string): object {
  const task = tasks.get(json) ?? { ...json, taskId: callId }
  tasks.set(json, task)
  return task
}

function responsesOf(json: JsonObject, callId: string): Record<string, InputResponseState> {
  const states = Object.entries(json).flatMap(([key, state]) => {
    if (!isJsonObject(state)) return []
    const error = errorOf(state['error'], callId)
    return [[key, { ...state, ...(error && { error }) }]]
  })
  return Object.fromEntries(states) as Record<string, InputResponseState>
}
