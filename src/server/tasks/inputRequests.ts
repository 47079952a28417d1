import {
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  ProtocolError,
} from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import { missingCapability } from '../../core/protocol/inputCapabilities.js'
import { type InputRequest, type InputResponse, parseInputRequest } from '../../core/protocol/inputRequest.js'
import { isJsonObject, toJson } from '../../core/protocol/json.js'
import { isTerminal, type TaskFailure } from '../../core/protocol/task.js'
import { isSameJson } from '../base/isSameJson.js'
import { patternProblem } from './formPattern.js'
import type { TaskRecord } from './taskRecord.js'
import type { RunScope } from './taskRun.js'

/** The input requests of one run. */
export interface InputRequests {
  /** Sends the request that `build` makes, and resolves to the response as the client gave it. */
  ask<T>(build: () => unknown): Promise<T>
  /** Resolves those that were answered. */
  observe(answers: TaskRecord['answers']): void
  /** Rejects all that are open. */
  rejectAll(reason: unknown): void
}

interface Waiter {
  resolve(answer: InputResponse): void
  reject(reason: unknown): void
}

/** The input requests of a run that has not asked yet, for a client with these capabilities. */
export function createInputRequests(run: RunScope, capabilities: ClientCapabilities): InputRequests {
  const { record } = run
  const waiters = new Map<string, Waiter>()
  let asked = 0

  async function ask<T>(build: () => unknown): Promise<T> {
    run.signal.throwIfAborted()
    const request = checkInputRequest(build, capabilities)
    asked += 1
    const key = `${KINDS[request.method]}-${asked}`
    const before = record.asked?.[key]
    if (before !== undefined && !isSameJson(before, request)) throw askedOtherwise(key)
    const given = record.answers[key]
    if (given !== undefined) return acceptedAnswer<T>(given)
    // Before the input request is sent: the response may be faster than our own store.
    const answer = ignoreRejection(
      new Promise<InputResponse>((resolve, reject) => waiters.set(key, { resolve, reject })),
    )
    const now = await run.change({ type: 'ask', key, request, ...(run.isKept && { isKept: true }) })
    if (isTerminal(now.task.status)) throw taskIsOver()
    // A run before this one has asked, and the response came in between.
    run.observe(now)
    // tasks/update lets in nothing but responses of the kind that was asked for.
    return acceptedAnswer<T>(await answer)
  }

  return {
    ask,
    observe(answers) {
      for (const [key, waiter] of waiters) {
        const answer = answers[key]
        if (answer === undefined) continue
        waiters.delete(key)
        waiter.resolve(answer)
      }
    },
    rejectAll(reason) {
      for (const waiter of waiters.values()) waiter.reject(reason)
      waiters.clear()
    },
  }
}

/**
 * The input request that `build` makes, for a client with these capabilities.
 *
 * @throws {TaskConfigurationError} if it cannot be sent, a `ProtocolError` (-32021) if the client cannot answer it.
 */
export function checkInputRequest(build: () => unknown, capabilities: ClientCapabilities): InputRequest {
  const request = parseRequest(build)
  const missing = missingCapability(capabilities, request)
  if (missing !== undefined) throw missingInputCapability(missing)
  return request
}

/** In place of a response, the reason why it is missing. No response has a member of this name alone. */
export function refusalOf(refused: TaskFailure): InputResponse {
  return { refused }
}

function acceptedAnswer<T>(answer: InputResponse): T {
  const { refused, ...rest } = answer
  if (!isJsonObject(refused) || Object.keys(rest).length > 0) return answer as T
  const { code, message, data } = refused as unknown as TaskFailure
  throw new ProtocolError(code, message, data)
}

/** What the kinds of input requests are called in the keys of `inputRequests`. */
const KINDS: Readonly<Record<InputRequest['method'], string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

function parseRequest(build: () => unknown): InputRequest {
  let built: unknown
  try {
    built = build()
  } catch (error) {
    throw unaskable(error instanceof Error ? error.message : String(error), error)
  }
  const parsed = parseInputRequest(toJson(built))
  if ('problem' in parsed) throw unaskable(`the request ${parsed.problem}`)
  const problem = formProblem(parsed.request)
  if (problem !== undefined) throw unaskable(problem)
  return parsed.request
}

function formProblem({ method, params }: InputRequest): string | undefined {
  return method === 'elicitation/create' && params.mode !== 'url' ? patternProblem(params.requestedSchema) : undefined
}

function unaskable(problem: string, cause?: unknown): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to ask for input: ${problem}. Pass what the specification defines for this kind of request.`,
    { cause },
  )
}

/**
 * The -32021 of a tool that asks what the client did not declare to answer: servers must not send it (MCP 2026-07-28,
 * "Multi Round-Trip Requests: Server Requirements").
 *
 * @param missing - a capability such as `elicitation.url`.
 */
function missingInputCapability(missing: string): MissingRequiredClientCapabilityError {
  const [name = '', part] = missing.split('.')
  return new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { [name]: part === undefined ? {} : { [part]: {} } } },
    `Missing required client capability: the tool asks for input that the client has not declared (${missing}).`,
  )
}

function askedOtherwise(key: string): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to ask for input: the handler ran again, and its input request "${key}" has changed. ` +
      'Ask in the same order each time, and put what may change into once().',
  )
}

/** Why input requests after the end of the task get no response. */
export function taskIsOver(): TaskConfigurationError {
  return new TaskConfigurationError(
    'Failed to ask for input: the task is over. Await every input request before the handler returns.',
  )
}
