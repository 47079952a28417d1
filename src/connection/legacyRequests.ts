import { ProtocolError, type RequestId } from '@modelcontextprotocol/client'
import { TaskExpiredError } from '../protocol/errors.js'
import type { JsonObject } from '../protocol/json.js'
import { decodeTaskAddress, isSessionLost } from './legacySession.js'
import type { LegacyRequestOptions, LegacyWire } from './legacyWire.js'
import { taskRequestError } from './requestErrors.js'

type Method = 'tasks/get' | 'tasks/result' | 'tasks/cancel'

/** Requests for one task, in the session that knows it. */
export interface LegacyRequests {
  /** Resolves to the result; rejects as the methods of `TaskPort` do. */
  (method: Method, id: string, options: Omit<LegacyRequestOptions, 'sessionId'>): Promise<unknown>
  /** Answers a request that the task has sent. */
  respond(requestId: RequestId, result: JsonObject, id: string, sessionId: string | undefined): Promise<void>
}

export function legacyRequests(wire: LegacyWire, onSessionLost: () => void): LegacyRequests {
  async function attempt<T>(method: Method | 'tasks/update', id: string, work: () => Promise<T>): Promise<T> {
    const { taskId, sessionId } = decodeTaskAddress(id)
    try {
      return await work()
    } catch (error) {
      if (sessionId !== undefined && isSessionLost(error)) {
        if (sessionId === wire.sessionId) onSessionLost()
        throw new TaskExpiredError('unknown-task', { taskId: id, cause: error, message: SESSION_LOST })
      }
      throw taskRequestError(withoutTaskId(error, taskId), method, id)
    }
  }

  return Object.assign(
    (method: Method, id: string, options: Omit<LegacyRequestOptions, 'sessionId'>) => {
      const { taskId, sessionId } = decodeTaskAddress(id)
      return attempt(method, id, () => wire.request(method, { taskId }, { ...options, sessionId })).catch(
        (error: unknown) => {
          throw options.signal?.aborted ? options.signal.reason : error
        },
      )
    },
    {
      respond: (requestId: RequestId, result: JsonObject, id: string, sessionId: string | undefined) =>
        attempt('tasks/update', id, () => wire.respond(requestId, { result }, sessionId)),
    },
  )
}

const SESSION_LOST =
  'The server has ended the session that the task belonged to, so it does not know the task any more. Start the call again.'

/** Only the id that everybody above knows is kept out of messages there. */
function withoutTaskId(error: unknown, taskId: string): unknown {
  if (!(error instanceof ProtocolError) || !error.message.includes(taskId)) return error
  return ProtocolError.fromError(error.code, error.message.replaceAll(taskId, '[task]'), error.data)
}
