import type { JSONRPCNotification, JSONRPCRequest, RequestId } from '@modelcontextprotocol/client'
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../protocol/extension.js'
import { INPUT_METHODS } from '../../protocol/inputCapabilities.js'
import { type InputRequest, isInputKey, MAX_OPEN_QUESTIONS, parseInputRequest } from '../../protocol/inputRequest.js'
import { withoutRelatedTask } from '../../protocol/legacyTask.js'

/**
 * The way on which a task of 2025-11-25 asks: a `tasks/result` that stays open while the task waits for
 * input, and on whose stream the server sends its own requests.
 *
 * ```text
 * tasks/get     ──▶ input_required
 * tasks/result  ──▶ ⋯ held by the server
 *               ◀── elicitation/create 5, related to the task      question "5"
 * answer to 5   ──▶                                                 from any tab: the key says what to answer
 *               ◀── … completed
 * ```
 */
export interface SideChannel {
  /** The questions without an answer, by key. */
  readonly questions: Readonly<Record<string, InputRequest>>
  /** Opens it where it is not open. Its result is of no use: a `tasks/result` of its own fetches that. */
  open(): void
  /** Takes a request of the server. Returns what is wrong with it, undefined where it is a question now. */
  take(message: JSONRPCRequest): { code: number; message: string } | undefined
  /** Takes note that a question is answered, or that the server wants no answer any more. */
  drop(inputKey: string): void
  /** Closes the request; the questions stay, and can be answered. */
  pause(): void
}

/**
 * `hold` sends the `tasks/result` and settles when that is over, whatever came of it. `missingCapability` names
 * what the client has not declared to answer: the server must not send it (MCP 2025-11-25, "Elicitation", "Sampling").
 */
export function createSideChannel(
  hold: (signal: AbortSignal) => Promise<unknown>,
  missingCapability: (request: InputRequest) => string | undefined,
): SideChannel {
  const questions = new Map<string, InputRequest>()
  let held: AbortController | undefined

  return {
    get questions() {
      return Object.fromEntries(questions)
    },
    open: () => {
      if (held !== undefined) return
      const abort = new AbortController()
      held = abort
      const over = () => {
        if (held === abort) held = undefined
      }
      hold(abort.signal).then(over, over)
    },
    take: ({ id, method, params = {} }) => {
      const parsed = parseInputRequest({ method, params: withoutRelatedTask(params) })
      if ('problem' in parsed) {
        const code = INPUT_METHODS.some((known) => known === method) ? INVALID_PARAMS : METHOD_NOT_FOUND
        return { code, message: `The request ${parsed.problem}.` }
      }
      const missing = missingCapability(parsed.request)
      if (missing !== undefined) {
        const code = missing.includes('.') ? INVALID_PARAMS : METHOD_NOT_FOUND
        return { code, message: `The client has not declared ${missing}.` }
      }
      const key = inputKeyOf(id)
      if (!isInputKey(key)) return refusal('The request has an id that is too long.')
      if (questions.size >= MAX_OPEN_QUESTIONS) return refusal('There are too many requests without an answer.')
      questions.set(key, parsed.request)
      return undefined
    },
    drop: (inputKey) => questions.delete(inputKey),
    pause: () => {
      held?.abort()
      held = undefined
    },
  }
}

function refusal(message: string): { code: number; message: string } {
  return { code: INVALID_PARAMS, message }
}

/** The key of a question: the id of the request that asks it, which the server uses once. */
export function inputKeyOf(id: RequestId): string {
  return JSON.stringify(id)
}

/** The id that a key stands for; undefined where it is none of ours. */
export function requestIdOf(inputKey: string): RequestId | undefined {
  try {
    const id: unknown = JSON.parse(inputKey)
    return typeof id === 'string' || typeof id === 'number' ? id : undefined
  } catch {
    return undefined
  }
}

/** The request that the server takes back, where the message says so. */
export function cancelledRequest({ method, params }: JSONRPCNotification): string | undefined {
  if (method !== 'notifications/cancelled') return undefined
  const id: unknown = params?.['requestId']
  return typeof id === 'string' || typeof id === 'number' ? inputKeyOf(id) : undefined
}
