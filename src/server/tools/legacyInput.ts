import { INTERNAL_ERROR, INVALID_PARAMS } from '@modelcontextprotocol/server'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import type { TaskFailure } from '../../core/protocol/task.js'
import type { Exchange } from '../http/exchange.js'
import { ownerOf } from '../http/ownerOf.js'
import type { ServerParts } from '../serverParts.js'
import { refusalOf } from '../tasks/inputRequests.js'
import type { TaskRecord } from '../tasks/taskRecord.js'
import { openInputRequests } from '../tasks/taskReducer.js'
import { parseInputResponse } from './parseInputResponse.js'

/** Before the id of the task, a space and the key of the input request, in the id of a request to a client. */
const ID_PREFIX = 'dev.taskwire/input:'

/**
 * Sends the input requests of a call to a client of a revision before 2026-07-28, as requests on the stream of the answer, each
 * once (MCP 2025-11-25, "Streamable HTTP: Sending Messages to the Server").
 */
export function createLegacyAsker(exchange: Exchange): (record: TaskRecord) => void {
  const sent = new Set<string>()
  return ({ task }) => {
    for (const [key, { method, params }] of Object.entries(openInputRequests(task))) {
      if (sent.has(key)) continue
      sent.add(key)
      // Another stream, such as that of `get_result`, asks the same under an id of its own.
      const id = `${ID_PREFIX}${task.taskId} ${key} ${crypto.randomUUID()}`
      exchange.notify({ jsonrpc: '2.0', id, method, params })
    }
  }
}

/**
 * Takes the response to such a request, or a batch of them (MCP 2025-03-26), in whichever process it arrives; resolves to undefined
 * for every other message. The tool gets an error where the client has sent one, or a response that does not fit.
 */
export async function takeLegacyResponse(exchange: Exchange, parts: ServerParts): Promise<Response | undefined> {
  const responses: unknown[] = Array.isArray(exchange.body) ? exchange.body : [exchange.body]
  if (responses.length === 0 || !responses.every(isOwnResponse)) return undefined
  for (const response of responses) await take(response, exchange, parts)
  return new Response(null, { status: 202 })
}

type OwnResponse = JsonObject & { readonly id: string }

function isOwnResponse(body: unknown): body is OwnResponse {
  return isJsonObject(body) && typeof body['id'] === 'string' && body['id'].startsWith(ID_PREFIX)
}

async function take(body: OwnResponse, exchange: Exchange, parts: ServerParts): Promise<void> {
  const [taskId = '', key = ''] = body.id.slice(ID_PREFIX.length).split(' ')
  const record = await parts.runtime.read(taskId, await ownerOf(exchange, parts.config))
  const request = record && openInputRequests(record.task)[key]
  // As for responses to tasks: one to what is not open is ignored.
  if (request !== undefined && record?.repetition?.isDirect === true) {
    await parts.runtime.answer(taskId, { [key]: responseOf(request, body) })
  }
}

function responseOf(request: Parameters<typeof parseInputResponse>[0], { result, error }: JsonObject): JsonObject {
  if (isJsonObject(error)) return refusalOf(failureOf(error))
  const parsed = parseInputResponse(request, result)
  if ('answer' in parsed) return parsed.answer
  return refusalOf({ code: INVALID_PARAMS, message: `Invalid response to an input request: it${parsed.problem}` })
}

function failureOf({ code, message, data }: JsonObject): TaskFailure {
  return {
    code: Number.isSafeInteger(code) ? Number(code) : INTERNAL_ERROR,
    message: typeof message === 'string' ? message : 'The client has refused the input request.',
    ...(data !== undefined && { data }),
  }
}
