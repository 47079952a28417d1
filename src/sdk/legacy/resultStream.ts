import type { JSONRPCNotification, JSONRPCRequest, RequestId } from '@modelcontextprotocol/client'
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../core/protocol/extension.js'
import { INPUT_METHODS } from '../../core/protocol/inputCapabilities.js'
import {
  type InputRequest,
  isInputKey,
  MAX_OPEN_INPUT_REQUESTS,
  parseInputRequest,
} from '../../core/protocol/inputRequest.js'
import { parseJson } from '../../core/protocol/json.js'
import { withoutRelatedTask } from '../../core/protocol/legacyTask.js'

/**
 * How a task of 2025-11-25 asks for input: by a `tasks/result` that stays open while the task waits, and on whose stream
 * the server sends its own requests.
 *
 * ```text
 * tasks/get     ──▶ input_required
 * tasks/result  ──▶ ⋯ kept open by the server
 *               ◀── elicitation/create 5, related to the task      input request "5"
 * response to 5 ──▶                                                 from any tab: the key says what it responds to
 *               ◀── … completed
 * ```
 */
export interface ResultStream {
  /** The input requests without a response, by key. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>
  /** Takes what another connection was asked, unless this one knows more of it. */
  adopt(asked: Readonly<Record<string, InputRequest>>): void
  /** Opens it where it is not open. Its result is of no use: a `tasks/result` of its own fetches that. */
  open(): void
  /** Takes a request of the server. Returns what is wrong with it, undefined where it is an input request now. */
  receive(message: JSONRPCRequest): { code: number; message: string } | undefined
  /** Removes an input request: the server has the response, or has withdrawn the request. */
  remove(inputKey: string): void
  /** Closes the stream; the input requests stay, and can be responded to. */
  close(): void
}

/**
 * `sendRequest` sends the `tasks/result` and settles when that is over, whatever came of it. `missingCapability` names
 * what the client has not declared: the server must not ask for it (MCP 2025-11-25, "Elicitation", "Sampling").
 */
export function createResultStream(
  sendRequest: (signal: AbortSignal) => Promise<unknown>,
  missingCapability: (request: InputRequest) => string | undefined,
): ResultStream {
  const inputRequests = new Map<string, InputRequest>()
  /** The keys of those that are over: another tab may not know it yet. */
  const removed = new Set<string>()
  let current: AbortController | undefined

  return {
    get inputRequests() {
      return Object.fromEntries(inputRequests)
    },
    adopt: (asked) => {
      for (const [inputKey, request] of Object.entries(asked))
        if (!removed.has(inputKey) && !inputRequests.has(inputKey)) inputRequests.set(inputKey, request)
    },
    open: () => {
      if (current !== undefined) return
      const abort = new AbortController()
      current = abort
      const over = () => {
        if (current === abort) current = undefined
      }
      sendRequest(abort.signal).then(over, over)
    },
    receive: ({ id, method, params = {} }) => {
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
      if (inputRequests.size >= MAX_OPEN_INPUT_REQUESTS)
        return refusal('There are too many requests without a response.')
      inputRequests.set(key, parsed.request)
      return undefined
    },
    remove: (inputKey) => {
      if (inputRequests.delete(inputKey)) removed.add(inputKey)
    },
    close: () => {
      current?.abort()
      current = undefined
    },
  }
}

function refusal(message: string): { code: number; message: string } {
  return { code: INVALID_PARAMS, message }
}

/** The key of an input request: the id of the server's request, which the server uses once. */
export function inputKeyOf(id: RequestId): string {
  return JSON.stringify(id)
}

/** The id that a key stands for; undefined if it is not one of ours. */
export function requestIdOf(inputKey: string): RequestId | undefined {
  const id = parseJson(inputKey)
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** The key of the input request that the server withdraws, where the message says so. */
export function withdrawnKey({ method, params }: JSONRPCNotification): string | undefined {
  if (method !== 'notifications/cancelled') return undefined
  const id: unknown = params?.['requestId']
  return typeof id === 'string' || typeof id === 'number' ? inputKeyOf(id) : undefined
}
