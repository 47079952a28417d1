import type { RequestId } from '@modelcontextprotocol/client'
import { TaskExpiredError } from '../../core/protocol/errors.js'
import type { JsonObject } from '../../core/protocol/json.js'
import { decodeTaskAddress } from '../../core/protocol/taskAddress.js'
import { type JsonRpcError, jsonRpcError, taskRequestError } from '../../core/wire/errors.js'
import { isRpcError } from '../../core/wire/wireErrors.js'
import { isSessionLost } from './session.js'
import type { LegacyRequestOptions, LegacyWire } from './wire.js'

type Method = 'tasks/get' | 'tasks/result' | 'tasks/cancel'

/** What the server answered `tasks/result` with: a result, or a JSON-RPC error and what that means for the task. */
export type LegacyResultResponse =
  | { readonly result: unknown }
  | { readonly refusal: JsonRpcError; readonly error: unknown }

/** Requests for one task, in the session that knows it. */
export interface LegacyRequests {
  /** Resolves to the result; rejects as the methods of `TaskPort` do. */
  (method: Method, id: string, options: Omit<LegacyRequestOptions, 'sessionId'>): Promise<unknown>
  /** Fetches what a task has come to; rejects where the server has not said. */
  result(id: string, signal: AbortSignal | undefined): Promise<LegacyResultResponse>
  /** Responds to a request that the task has sent. */
  respond(requestId: RequestId, result: JsonObject, id: string, sessionId: string | undefined): Promise<void>
}

export function legacyRequests(wire: LegacyWire, onSessionLost: () => void): LegacyRequests {
  function request(method: Method, id: string, options: Omit<LegacyRequestOptions, 'sessionId'>): Promise<unknown> {
    const { taskId, sessionId } = decodeTaskAddress(id)
    return wire.request(method, { taskId }, { ...options, sessionId })
  }

  /** What a failed request means for the task. */
  function explain(error: unknown, method: Method | 'tasks/update', id: string, signal?: AbortSignal): unknown {
    if (signal?.aborted) return signal.reason
    if (!isSessionLost(error)) return taskRequestError(error, method, id)
    const { sessionId } = decodeTaskAddress(id)
    const { sessionId: own } = wire
    if (own !== undefined && (sessionId ?? own) === own) onSessionLost()
    // An id that names no session may be known in the next one.
    if (sessionId === undefined) return taskRequestError(error, method, id)
    return new TaskExpiredError('unknown-task', { taskId: id, cause: error, message: SESSION_LOST })
  }

  return Object.assign(
    async (method: Method, id: string, options: Omit<LegacyRequestOptions, 'sessionId'>): Promise<unknown> => {
      try {
        return await request(method, id, options)
      } catch (error) {
        throw explain(error, method, id, options.signal)
      }
    },
    {
      result: async (id: string, signal: AbortSignal | undefined): Promise<LegacyResultResponse> => {
        try {
          return { result: await request('tasks/result', id, { signal }) }
        } catch (error) {
          const explained = explain(error, 'tasks/result', id, signal)
          const refusal = isRpcError(error) ? jsonRpcError(error, id) : undefined
          if (refusal === undefined || signal?.aborted) throw explained
          return { refusal, error: explained }
        }
      },
      respond: async (requestId: RequestId, result: JsonObject, id: string, sessionId: string | undefined) => {
        try {
          await wire.respond(requestId, { result }, sessionId)
        } catch (error) {
          throw explain(error, 'tasks/update', id)
        }
      },
    },
  )
}

const SESSION_LOST =
  'The server has ended the session that the task belonged to, so it no longer knows the task. Start the call again.'
