import { asError } from '../protocol/asError.js'
import { TaskInputError, TaskProtocolError } from '../protocol/errors.js'
import { type InputRequest, type InputResponse, MAX_OPEN_INPUT_REQUESTS } from '../protocol/inputRequest.js'
import { isEqual } from '../protocol/isEqual.js'
import { toJson } from '../protocol/json.js'
import { cutText } from '../protocol/text.js'
import { hash } from '../record/hash.js'
import { type InputState, withInput } from '../record/inputs.js'
import { nobodyToAsk } from '../record/learn.js'
import type { TaskRecord } from '../record/record.js'
import { aborted, onAbort } from '../time/abort.js'
import { untilOnline } from '../time/untilOnline.js'
import { changeCall, changeTask } from './changes.js'
import type { CallEntry, PendingResponse, TaskEntry } from './entries.js'
import { handlerOf, setInput, validateInputResponse } from './inputs.js'
import { isAnswered, noteAnswered } from './knownAnswers.js'
import { sendResponse } from './requests.js'
import type { Run } from './run.js'

/**
 * Responds to input requests, by handlers of the app or by its users: each once, in one tab.
 *
 * ```text
 * offline              it is sent when there is a network, and again until the server has taken or refused it. Only this page has it:
 *                      after a reload the input request is open again
 * twice, in this tab   while it is on its way, the same response has the same promise, and another one is rejected; once it is taken, any is
 * in two tabs          both wait for a lock, which the first keeps until its response is taken, also while it is offline. The later
 *                      one finds the key among those that are answered, and is rejected
 * the first is frozen  it keeps the lock: the later one waits until it wakes or is closed. One that goes into the back-forward cache
 *                      lets go of it. Without Web Locks a tab does not know of the other's turn
 * the page is new,     it is sent once the server was heard, or the other tabs had time to tell of another one (knownAnswers.ts)
 * or back
 * withdrawn            rejected, unless its delivery has begun
 * ```
 */
export interface Answers {
  /** What the task asks has changed: has the handlers of the app respond, and drops what is asked no longer. */
  onInputs(run: Run, task: TaskEntry): void
  /** Asks what belongs to no task yet (multi round-trip). */
  ask(run: Run, entry: CallEntry, inputKey: string, request: InputRequest, signal: AbortSignal): Promise<InputResponse>
  respond(run: Run, entry: CallEntry, inputKey: string, response: InputResponse): Promise<void>
}

export const answers: Answers = { onInputs, ask, respond }

function onInputs(run: Run, task: TaskEntry): void {
  const { inputs } = task.record.here
  for (const [key, { controller }] of task.pending ?? []) {
    if (inputs.has(key)) continue
    task.pending?.delete(key)
    controller.abort()
  }
  const [entry] = task.calls
  if (entry === undefined) return
  for (const [key, { status }] of inputs) {
    if (status === 'handling' && !task.pending?.has(key)) void runHandler(run, entry, key)
  }
}

/** Has the handler of the app respond, if there is one. */
async function runHandler(run: Run, entry: CallEntry, inputKey: string): Promise<void> {
  const { callId } = entry.call
  const { task } = entry
  const taskId = task?.taskId
  const request = inputOf(entry, taskId, inputKey)?.request
  const handler = request && handlerOf(run.handlers, request)
  if (request === undefined || handler === undefined) return
  const { signal } = pendingOf(entry, inputKey).controller
  const by = () => followerOf(entry, task)
  const isWanted = () => !signal.aborted && inputOf(by(), taskId, inputKey)?.status === 'handling'
  try {
    await exclusively(run, taskId ?? callId, inputKey, signal, async (turn) => {
      if ((await isAnswered(run, entry, taskId, inputKey, signal)) || !isWanted()) return
      // One that does not look at the signal must not keep its turn, which another client of the page may wait for.
      const response = copyOf(await Promise.race([handler({ taskId, callId, inputKey, signal }), aborted(signal)]))
      if (!isWanted()) return
      await checkResponse(run, callId, request, response)
      if (isWanted()) await give(run, by(), taskId, inputKey, response, turn)
    })
  } catch (error) {
    if (signal.aborted) return
    run.onError(error, callId, 'respond')
    // Nothing is declined on the user's behalf: the input request waits for them.
    setAsked(run, by(), taskId, inputKey, ({ request }) => ({ request, status: 'open' }))
  }
}

function respond(run: Run, entry: CallEntry, inputKey: string, given: InputResponse): Promise<void> {
  const response = copyOf(given)
  const { stage, callId } = entry.call
  if (stage.name === 'left') return Promise.reject(stage.reason)
  const input = inputOf(entry, entry.task?.taskId, inputKey)
  if (entry.task?.record.answered.includes(inputKey) || input?.status === 'answered') return refuse(callId, ANSWERED)
  if (input === undefined) return refuse(callId, NO_SUCH_INPUT)
  const pending = pendingOf(entry, inputKey)
  if (pending.sent !== undefined) {
    // A response that is on its way cannot be changed, nor may another one pass for it.
    return isEqual(pending.sent.response, response) ? pending.sent.promise : refuse(callId, ANSWERING)
  }
  setInput(run, entry, inputKey, ({ request }) => ({ request, status: 'sending' }))
  const promise = respondInTurn(run, entry, inputKey, input.request, response, pending)
  if (pending.sent === undefined) pending.sent = { response, promise }
  return promise
}

async function respondInTurn(
  run: Run,
  entry: CallEntry,
  inputKey: string,
  request: InputRequest,
  response: InputResponse,
  pending: PendingResponse,
): Promise<void> {
  const { callId } = entry.call
  const { task } = entry
  const taskId = task?.taskId
  const { signal } = pending.controller
  try {
    await checkResponse(run, callId, request, response)
    await exclusively(run, taskId ?? callId, inputKey, signal, async (turn) => {
      // Another tab has responded in the meantime, and a user of this one would take that response for theirs.
      if (await isAnswered(run, entry, taskId, inputKey, signal)) await refuse(callId, ANSWERED)
      if (inputOf(entry, taskId, inputKey) === undefined) await refuse(callId, NO_SUCH_INPUT)
      await give(run, entry, taskId, inputKey, response, turn)
    })
  } catch (error) {
    const isLeft = error === entry.abort?.signal.reason
    if (signal.aborted && !isLeft && !(error instanceof TaskInputError)) await refuse(callId, NO_SUCH_INPUT)
    setAsked(run, followerOf(entry, task), taskId, inputKey, ({ request }) => ({
      request,
      status: 'rejected',
      isRetrying: false,
      error: asError(error),
    }))
    throw error
  } finally {
    pending.sent = undefined
  }
}

function ask(
  run: Run,
  entry: CallEntry,
  inputKey: string,
  request: InputRequest,
  signal: AbortSignal,
): Promise<InputResponse> {
  return new Promise((resolve, reject) => {
    const { callId } = entry.call
    const isHandled = run.rules.isHandled(request)
    if (run.rules.missingInput === 'error' && !isHandled) return reject(nobodyToAsk(callId))
    if (signal.aborted) return reject(signal.reason)
    entry.pending ??= new Map()
    if (entry.pending.size >= MAX_OPEN_INPUT_REQUESTS)
      return reject(new TaskProtocolError('too many input requests at once', { source: 'tools/call', callId }))
    const controller = new AbortController()
    entry.pending.set(inputKey, { controller, resolve, sent: undefined })
    onAbort(signal, () => {
      controller.abort()
      entry.pending?.delete(inputKey)
      setInput(run, entry, inputKey, () => undefined)
      reject(signal.reason)
    })
    const input: InputState = { request, status: isHandled ? 'handling' : 'open' }
    changeCall(run, entry, (call) => {
      const { stage } = call
      if (stage.name !== 'calling') return call
      return { ...call, stage: { ...stage, inputs: withInput(stage.inputs, inputKey, input) } }
    })
    void runHandler(run, entry, inputKey)
  })
}

/** The response that is being made to an input request, or is from now on. */
function pendingOf(entry: CallEntry, inputKey: string): PendingResponse {
  const owner = entry.task ?? entry
  owner.pending ??= new Map()
  const pending = owner.pending.get(inputKey) ?? {
    controller: new AbortController(),
    resolve: undefined,
    sent: undefined,
  }
  owner.pending.set(inputKey, pending)
  return pending
}

/** The call that responds for the task: one that was left meanwhile does so no longer, but another one may follow it. */
function followerOf(entry: CallEntry, task: TaskEntry | undefined): CallEntry {
  return entry.task === task ? entry : (task?.calls[0] ?? entry)
}

/** What the task asks of the call, if it asks still. A call that another tab has made again is of a later task, which may ask the same. */
function inputOf({ call, task }: CallEntry, taskId: string | undefined, inputKey: string): InputState | undefined {
  if (task?.taskId !== taskId) return undefined
  if (task !== undefined) return task.record.end === undefined ? task.record.here.inputs.get(inputKey) : undefined
  return call.stage.name === 'calling' ? call.stage.inputs.get(inputKey) : undefined
}

/** Changes how the response fares, if the call is still of the task that it is meant for. */
function setAsked(
  run: Run,
  entry: CallEntry,
  taskId: string | undefined,
  inputKey: string,
  next: (input: InputState) => InputState,
): void {
  if (inputOf(entry, taskId, inputKey) !== undefined) setInput(run, entry, inputKey, next)
}

const NO_SUCH_INPUT = 'No open input request has this key: it was withdrawn, or never existed.'
const ANSWERED = 'The input request has been answered; a response cannot be changed.'
const ANSWERING =
  'Another response to this input request is being sent; it cannot be changed. Wait for it before you respond again.'

async function refuse(callId: string, why: string): Promise<never> {
  throw new TaskInputError(why, { callId })
}

/** The response as it goes over the wire: what the app does with its object afterwards changes nothing. `checkResponse` refuses what is not JSON. */
const copyOf = (response: InputResponse) => toJson(response) as InputResponse

/** @throws {TaskInputError} if the response is none to the input request. */
async function checkResponse(run: Run, callId: string, request: InputRequest, response: InputResponse): Promise<void> {
  const problem = await validateInputResponse(request, response, run.checkForm)
  if (problem === undefined) return
  const issues = typeof problem === 'string' ? [] : problem
  const words =
    typeof problem === 'string' ? problem : issues.map(({ path, message }) => `${path}: ${message}`).join(' ')
  throw new TaskInputError(cutText(`The response does not fit the input request: ${words}`), { callId, issues })
}

/** The turn of one call of one tab. */
interface Turn {
  readonly signal: AbortSignal
  /** Waits for it again where it was lost, such as the lease of a process that was frozen. True if it was. */
  waitIfLost(): Promise<boolean>
}

/** In one tab at a time, and in that one for one call at a time. Several calls may refer to the task; its id is a secret. */
async function exclusively(
  run: Run,
  id: string,
  inputKey: string,
  signal: AbortSignal,
  work: (turn: Turn) => Promise<void>,
): Promise<void> {
  const name = `input:${hash(id)}:${inputKey}`
  return run.inTurn(name, async () => {
    const wait = () => run.tabs.lock(name, signal)
    let lock = await wait()
    const waitIfLost = async () => {
      if (lock.isHeld()) return false
      lock = await wait()
      return true
    }
    try {
      await work({ signal, waitIfLost })
    } finally {
      lock.release()
    }
  })
}

/** Hands the response to the SDK, which asks what belongs to no task yet, or sends it to the server. */
async function give(
  run: Run,
  entry: CallEntry,
  taskId: string | undefined,
  inputKey: string,
  response: InputResponse,
  { signal, waitIfLost }: Turn,
): Promise<void> {
  const resolve = entry.pending?.get(inputKey)?.resolve
  if (resolve !== undefined) {
    // A call whose next request cannot go out would be interrupted.
    await untilOnline({ environment: run.environment, signal })
    setInput(run, entry, inputKey, () => undefined)
    entry.pending?.delete(inputKey)
    resolve(response)
  } else if (taskId !== undefined) {
    const before = entry.task?.record
    try {
      await sendResponse(run, entry, taskId, inputKey, response, async () => {
        if (!(await waitIfLost())) return
        if (await isAnswered(run, entry, taskId, inputKey, signal)) await refuse(entry.call.callId, ANSWERED)
        if (inputOf(entry, taskId, inputKey) === undefined) await refuse(entry.call.callId, NO_SUCH_INPUT)
      })
    } catch (error) {
      // The server knows better of the task than what it has pushed: the next poll does not wait for the safety interval.
      const unquiet = (record: TaskRecord, at: number) => ({ ...record, quietUntil: 0, triedAt: at, notedAt: at })
      const task = run.tasks.get(taskId)
      if (task !== undefined) changeTask(run, task, unquiet, { from: 'here', tell: true })
      throw error
    }
    await noteAnswered(run, entry, taskId, inputKey, before)
  }
}
