import { asError } from '../protocol/asError.js'
import { TaskInputError, TaskProtocolError } from '../protocol/errors.js'
import { type InputRequest, type InputResponse, MAX_OPEN_INPUT_REQUESTS } from '../protocol/inputRequest.js'
import { isEqual } from '../protocol/isEqual.js'
import { cutText } from '../protocol/text.js'
import { hash } from '../record/hash.js'
import { type InputState, withInput } from '../record/inputs.js'
import { nobodyToAsk } from '../record/learn.js'
import { createKeyedQueue, type KeyedQueue } from '../storage/keyedQueue.js'
import { onAbort } from '../time/abort.js'
import type { CallEntry, PendingResponse, TaskEntry } from './entries.js'
import {
  type CheckForm,
  createInputFacts,
  handlerOf,
  type InputFacts,
  type InputHandlers,
  validateInputResponse,
} from './inputs.js'
import type { TaskRequests } from './requests.js'
import type { Runner } from './runner.js'

/** Responds to input requests, by handlers of the app or by its users: each once, in one tab. */
export interface Answers {
  /** What the task asks has changed: has the handlers of the app respond, and drops what is asked no longer. */
  onInputs(task: TaskEntry): void
  /** Asks what belongs to no task yet (multi round-trip). */
  ask(entry: CallEntry, inputKey: string, request: InputRequest, signal: AbortSignal): Promise<InputResponse>
  respond(entry: CallEntry, inputKey: string, response: InputResponse): Promise<void>
}

/** Makes what responds. */
export type CreateAnswers = (run: Runner, requests: TaskRequests, options: AnswersOptions) => Answers

export interface AnswersOptions {
  readonly handlers: InputHandlers
  readonly checkForm: CheckForm
}

export function createAnswers(run: Runner, requests: TaskRequests, { handlers, checkForm }: AnswersOptions): Answers {
  const { tabs, rules } = run
  const facts = createInputFacts(run)
  const { isAnswered, setInput } = facts
  const line = { tabs, enqueue: createKeyedQueue() }

  async function handle(entry: CallEntry, inputKey: string): Promise<void> {
    const { callId } = entry.call
    const taskId = entry.task?.taskId
    const request = inputOf(entry, inputKey)?.request
    const handler = request && handlerOf(handlers, request)
    if (request === undefined || handler === undefined) return
    const { signal } = pendingOf(entry, inputKey).controller
    const isWanted = () => !signal.aborted && inputOf(entry, inputKey)?.status === 'handling'
    try {
      await exclusively(line, { taskId, callId }, inputKey, signal, async () => {
        if ((await isAnswered(entry, taskId, inputKey, signal)) || !isWanted()) return
        const response = await handler({ taskId, callId, inputKey, signal })
        if (!isWanted()) return
        await check(callId, request, response, checkForm)
        if (isWanted()) await give({ requests, facts }, entry, taskId, inputKey, response)
      })
    } catch (error) {
      if (signal.aborted) return
      run.onError(error, callId, 'respond')
      // Nothing is declined on the user's behalf: the input request waits for them.
      setInput(entry, inputKey, (input) => ({ request: input.request, status: 'open' }))
    }
  }

  async function send(
    entry: CallEntry,
    inputKey: string,
    request: InputRequest,
    response: InputResponse,
    pending: PendingResponse,
  ): Promise<void> {
    const { callId } = entry.call
    const taskId = entry.task?.taskId
    const { signal } = pending.controller
    try {
      await check(callId, request, response, checkForm)
      await exclusively(line, { taskId, callId }, inputKey, signal, async () => {
        // Another tab has responded in the meantime, and a user of this one would take that response for theirs.
        if (await isAnswered(entry, taskId, inputKey, signal)) throw answered(callId)
        if (inputOf(entry, inputKey) === undefined) throw noSuchInput(callId)
        await give({ requests, facts }, entry, taskId, inputKey, response)
      })
    } catch (error) {
      if (signal.aborted && !(error instanceof TaskInputError)) throw noSuchInput(callId)
      setInput(entry, inputKey, (input) => ({
        request: input.request,
        status: 'rejected',
        isRetrying: false,
        error: asError(error),
      }))
      throw error
    } finally {
      pending.sent = undefined
    }
  }

  function respond(entry: CallEntry, inputKey: string, response: InputResponse): Promise<void> {
    const { call } = entry
    const { callId } = call
    if (call.stage.name === 'left') return Promise.reject(call.stage.reason)
    const input = inputOf(entry, inputKey)
    const isOver = entry.task?.record.answered.includes(inputKey)
    if (isOver || input?.status === 'answered') return Promise.reject(answered(callId))
    if (input === undefined) return Promise.reject(noSuchInput(callId))
    const pending = pendingOf(entry, inputKey)
    if (pending.sent !== undefined) {
      // A response that is on its way cannot be changed, nor may another one pass for it.
      return isEqual(pending.sent.response, response) ? pending.sent.promise : Promise.reject(answering(callId))
    }
    setInput(entry, inputKey, ({ request }) => ({ request, status: 'sending' }))
    const promise = send(entry, inputKey, input.request, response, pending)
    if (pending.sent === undefined) pending.sent = { response, promise }
    return promise
  }

  return {
    respond,

    onInputs: (task) => dropAndHandle(task, handle),

    ask: (entry, inputKey, request, signal) =>
      new Promise((resolve, reject) => {
        const { callId } = entry.call
        const isHandled = rules.isHandled(request)
        if (rules.missingInput === 'error' && !isHandled) return reject(nobodyToAsk(callId))
        if (signal.aborted) return reject(signal.reason)
        entry.pending ??= new Map()
        if (entry.pending.size >= MAX_OPEN_INPUT_REQUESTS) return reject(tooMany(callId))
        const controller = new AbortController()
        entry.pending.set(inputKey, { controller, resolve, sent: undefined })
        onAbort(signal, () => {
          controller.abort()
          entry.pending?.delete(inputKey)
          setInput(entry, inputKey, () => undefined)
          reject(signal.reason)
        })
        const input: InputState = { request, status: isHandled ? 'handling' : 'open' }
        run.change(entry, (call) => {
          const { stage } = call
          if (stage.name !== 'calling') return call
          return { ...call, stage: { ...stage, inputs: withInput(stage.inputs, inputKey, input) } }
        })
        void handle(entry, inputKey)
      }),
  }
}

/** The response that is being made to an input request, or is from now on. */
function pendingOf(entry: CallEntry, inputKey: string): PendingResponse {
  const owner = entry.task ?? entry
  const known = owner.pending?.get(inputKey)
  if (known !== undefined) return known
  const pending: PendingResponse = { controller: new AbortController(), resolve: undefined, sent: undefined }
  owner.pending ??= new Map()
  owner.pending.set(inputKey, pending)
  return pending
}

function inputOf({ call, task }: CallEntry, inputKey: string): InputState | undefined {
  if (task !== undefined) return task.record.end === undefined ? task.record.here.inputs.get(inputKey) : undefined
  return call.stage.name === 'calling' ? call.stage.inputs.get(inputKey) : undefined
}

function tooMany(callId: string): TaskProtocolError {
  return new TaskProtocolError('too many input requests at once', { source: 'tools/call', callId })
}

function noSuchInput(callId: string): TaskInputError {
  return new TaskInputError('No open input request has this key: it was withdrawn, or never existed.', { callId })
}

function answered(callId: string): TaskInputError {
  return new TaskInputError('The input request has been answered; a response cannot be changed.', { callId })
}

function answering(callId: string): TaskInputError {
  return new TaskInputError(
    'Another response to this input request is being sent; it cannot be changed. Wait for it before you respond again.',
    { callId },
  )
}

/** @throws {TaskInputError} if the response is none to the input request. */
async function check(
  callId: string,
  request: InputRequest,
  response: InputResponse,
  checkForm: CheckForm,
): Promise<void> {
  const problem = await validateInputResponse(request, response, checkForm)
  if (problem === undefined) return
  const issues = typeof problem === 'string' ? [] : problem
  const words =
    typeof problem === 'string' ? problem : issues.map(({ path, message }) => `${path}: ${message}`).join(' ')
  throw new TaskInputError(cutText(`The response does not fit the input request: ${words}`), { callId, issues })
}

/** In one tab at a time, and in that one for one call at a time. Several calls may refer to the task; its id is a secret. */
async function exclusively(
  { tabs, enqueue }: { tabs: Runner['tabs']; enqueue: KeyedQueue },
  { taskId, callId }: { taskId: string | undefined; callId: string },
  inputKey: string,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  const name = `input:${hash(taskId ?? callId)}:${inputKey}`
  return enqueue(name, async () => {
    const unlock = await tabs.lock(name, signal)
    try {
      await work()
    } finally {
      unlock()
    }
  })
}

/** Drops what is asked no longer, and has the handlers respond to what is new. */
function dropAndHandle(task: TaskEntry, handle: (entry: CallEntry, inputKey: string) => Promise<void>): void {
  const { inputs } = task.record.here
  for (const [key, { controller }] of task.pending ?? []) {
    if (inputs.has(key)) continue
    task.pending?.delete(key)
    controller.abort()
  }
  const [entry] = task.calls
  if (entry === undefined) return
  for (const [key, { status }] of inputs) {
    if (status === 'handling' && !task.pending?.has(key)) void handle(entry, key)
  }
}

/** Hands the response to the SDK, which asks what belongs to no task yet, or sends it to the server. */
async function give(
  { requests, facts }: { requests: TaskRequests; facts: InputFacts },
  entry: CallEntry,
  taskId: string | undefined,
  inputKey: string,
  response: InputResponse,
): Promise<void> {
  const pending = entry.pending?.get(inputKey)
  if (pending?.resolve !== undefined) {
    facts.setInput(entry, inputKey, () => undefined)
    entry.pending?.delete(inputKey)
    pending.resolve(response)
  } else if (taskId !== undefined) {
    const before = entry.task?.record
    await requests.update(entry, taskId, inputKey, response)
    await facts.noteAnswered(entry, taskId, inputKey, before)
  }
}
