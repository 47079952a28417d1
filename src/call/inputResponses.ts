import { TaskInputError, TaskProtocolError } from '../protocol/errors.js'
import { type InputRequest, type InputResponse, MAX_OPEN_INPUT_REQUESTS } from '../protocol/inputRequest.js'
import { cutText } from '../protocol/text.js'
import { hash } from '../storage/hash.js'
import { createKeyedQueue } from '../storage/keyedQueue.js'
import { onAbort } from './abort.js'
import type { CallEvent } from './call.js'
import type { CallEntry } from './callEntry.js'
import type { CallTabs } from './callTabs.js'
import { handlerOf, type InputHandlers } from './inputHandlers.js'
import type { InputState } from './inputs.js'
import { isEqual } from './isEqual.js'
import { pendingOf } from './pendingResponses.js'
import { nobodyToAsk } from './snapshots.js'
import type { TaskPort } from './taskPort.js'

export interface InputResponsesOptions {
  readonly port: Pick<TaskPort, 'validateInputResponse'>
  readonly tabs: Pick<CallTabs, 'exclusively'>
  readonly handlers: InputHandlers
  readonly missingInput: 'wait' | 'error'
  readonly dispatch: (entry: CallEntry, event: CallEvent) => void
  /** True if any tab has recorded that the input request was answered. */
  readonly isAnswered: (callId: string, taskId: string, inputKey: string) => Promise<boolean>
  /** Sends `tasks/update` until the server has taken it, and notes that. */
  readonly deliver: (entry: CallEntry, taskId: string, inputKey: string, response: InputResponse) => Promise<void>
  readonly onError: (error: unknown, callId: string) => void
}

/** Responds to input requests, by handlers of the app or by its users: each once, in one tab. */
export interface InputResponses {
  /** Has the handlers of the app respond. */
  handle(entry: CallEntry, inputKeys: readonly string[]): void
  /** Asks what belongs to no task yet (multi round-trip). */
  ask(entry: CallEntry, inputKey: string, request: InputRequest, signal: AbortSignal): Promise<InputResponse>
  respond(entry: CallEntry, inputKey: string, response: InputResponse): Promise<void>
}

export function createInputResponses(options: InputResponsesOptions): InputResponses {
  const { port, tabs, handlers, dispatch } = options
  const enqueue = createKeyedQueue()

  /** In one tab at a time, and in that one for one call at a time. */
  const exclusively = async (name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> =>
    enqueue(name, () => tabs.exclusively(name, signal, work))

  async function handleOne(entry: CallEntry, inputKey: string): Promise<void> {
    const { callId } = entry.call
    const request = inputOf(entry, inputKey)?.request
    const handle = request && handlerOf(handlers, request)
    if (request === undefined || handle === undefined) return
    const { signal } = pendingOf(entry, inputKey).controller
    const taskId = taskIdOf(entry)
    try {
      await exclusively(lockOf(entry, inputKey), signal, async () => {
        if (await isAnswered(options, entry, inputKey)) return
        signal.throwIfAborted()
        const response = await handle({ taskId, callId, inputKey, signal })
        const isWanted = () => !signal.aborted && inputOf(entry, inputKey)?.status === 'handling'
        if (!isWanted()) return
        await check(port, entry.call.callId, request, response)
        if (isWanted()) await give(options, entry, inputKey, response)
      })
    } catch (error) {
      if (signal.aborted) return
      options.onError(error, callId)
      // Nothing is declined on the user's behalf: the input request waits for them.
      dispatch(entry, { type: 'input', inputKey, input: { status: 'open' } })
    }
  }

  async function send(
    entry: CallEntry,
    inputKey: string,
    request: InputRequest,
    response: InputResponse,
  ): Promise<void> {
    const { callId } = entry.call
    const pending = pendingOf(entry, inputKey)
    const { signal } = pending.controller
    try {
      await check(port, callId, request, response)
      await exclusively(lockOf(entry, inputKey), signal, async () => {
        // By another tab, or another call of the task: what was sent is not this response.
        if (await isAnswered(options, entry, inputKey)) throw answered(callId)
        signal.throwIfAborted()
        await give(options, entry, inputKey, response)
      })
    } catch (error) {
      if (signal.aborted) throw notAsked(entry, inputKey)
      const rejected = error instanceof Error ? error : new Error(String(error))
      dispatch(entry, { type: 'input', inputKey, input: { status: 'rejected', isRetrying: false, error: rejected } })
      throw error
    } finally {
      delete pending.sent
    }
  }

  return {
    handle: (entry, inputKeys) => {
      for (const inputKey of inputKeys) void handleOne(entry, inputKey)
    },

    ask: (entry, inputKey, request, signal) =>
      new Promise((resolve, reject) => {
        const { callId } = entry.call
        const isMissing = options.missingInput === 'error' && handlerOf(handlers, request) === undefined
        if (isMissing) return reject(nobodyToAsk(callId))
        if (signal.aborted) return reject(signal.reason)
        const pending: NonNullable<CallEntry['pending']> = entry.pending ?? new Map()
        if (pending.size >= MAX_OPEN_INPUT_REQUESTS) return reject(tooMany(callId))
        const controller = new AbortController()
        entry.pending = pending.set(inputKey, { controller, resolve })
        onAbort(signal, () => {
          controller.abort()
          pending.delete(inputKey)
          dispatch(entry, { type: 'input', inputKey, input: undefined })
          reject(signal.reason)
        })
        dispatch(entry, { type: 'asked', inputKey, request })
        void handleOne(entry, inputKey)
      }),

    respond: (entry, inputKey, response) => {
      if (entry.left !== undefined) return Promise.reject(entry.left)
      const { callId } = entry.call
      const input = inputOf(entry, inputKey)
      if (input === undefined || input.status === 'answered') return Promise.reject(notAsked(entry, inputKey))
      const pending = pendingOf(entry, inputKey)
      const { sent } = pending
      if (sent !== undefined) {
        return isEqual(sent.response, response) ? sent.outcome : Promise.reject(beingSent(callId))
      }
      const { request } = input
      dispatch(entry, { type: 'input', inputKey, input: { request, status: 'sending' } })
      const outcome = send(entry, inputKey, request, response)
      pending.sent = { response, outcome }
      return outcome
    },
  }
}

/** True if any tab has responded. An input request that belongs to no task is asked in this tab alone. */
async function isAnswered(options: InputResponsesOptions, entry: CallEntry, inputKey: string): Promise<boolean> {
  const taskId = taskIdOf(entry)
  if (inputOf(entry, inputKey)?.status === 'answered') return true
  if (taskId === undefined || !(await options.isAnswered(entry.call.callId, taskId, inputKey))) return false
  if (taskIdOf(entry) === taskId)
    options.dispatch(entry, { type: 'message', message: { type: 'responded', inputKey }, isOwn: false })
  return true
}

/** @throws {TaskInputError} where the response is none to the input request. */
async function check(
  port: InputResponsesOptions['port'],
  callId: string,
  request: InputRequest,
  response: InputResponse,
): Promise<void> {
  const problem = await port.validateInputResponse(request, response)
  if (problem === undefined) return
  const issues = typeof problem === 'string' ? [] : problem
  const words =
    typeof problem === 'string' ? problem : issues.map(({ path, message }) => `${path}: ${message}`).join(' ')
  throw new TaskInputError(cutText(`The response does not fit the input request: ${words}`), {
    callId,
    issues,
  })
}

/** Hands the response to the SDK, which asks what belongs to no task yet, or sends it to the server. */
async function give(
  { dispatch, deliver }: InputResponsesOptions,
  entry: CallEntry,
  inputKey: string,
  response: InputResponse,
): Promise<void> {
  const pending = pendingOf(entry, inputKey)
  const taskId = taskIdOf(entry)
  if (pending.resolve !== undefined) {
    dispatch(entry, { type: 'input', inputKey, input: undefined })
    pending.resolve(response)
  } else if (taskId !== undefined) {
    await deliver(entry, taskId, inputKey, response)
  }
  if (entry.pending?.get(inputKey) === pending) entry.pending?.delete(inputKey)
}

/** Several calls may refer to the task; its id is nobody else's business. */
function lockOf(entry: CallEntry, inputKey: string): string {
  return `input:${hash(taskIdOf(entry) ?? entry.call.callId)}:${inputKey}`
}

function taskIdOf({ call }: CallEntry): string | undefined {
  return 'task' in call ? call.task?.taskId : undefined
}

function inputOf({ call }: CallEntry, inputKey: string): InputState | undefined {
  return 'inputs' in call ? call.inputs.get(inputKey) : undefined
}

function tooMany(callId: string): TaskProtocolError {
  return new TaskProtocolError('too many input requests at once', { source: 'tools/call', callId })
}

/** Why a response comes too late. */
function notAsked({ call }: CallEntry, inputKey: string): TaskInputError {
  const { callId } = call
  if ('answered' in call && call.answered.includes(inputKey)) return answered(callId)
  return new TaskInputError('No open input request has this key: it was withdrawn, or never existed.', { callId })
}

function beingSent(callId: string): TaskInputError {
  return new TaskInputError(
    'Another response to this input request is being sent. This one was not: wait for the outcome of the first.',
    { callId },
  )
}

function answered(callId: string): TaskInputError {
  return new TaskInputError('The input request has been answered; a response cannot be changed.', { callId })
}
