import { INVALID_PARAMS, ProtocolError } from '@modelcontextprotocol/server'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import type { openInputRequests } from '../tasks/taskReducer.js'
import { parseInputResponse } from './parseInputResponse.js'

/** Responses to input requests that are not open are ignored; one that does not fit its input request is refused. */
export function inputResponsesOf(
  { inputResponses }: JsonObject,
  open: ReturnType<typeof openInputRequests>,
): Record<string, JsonObject> {
  if (!isJsonObject(inputResponses)) throw invalid('params.inputResponses is not an object')
  const answers: Record<string, JsonObject> = {}
  for (const [key, request] of Object.entries(open)) {
    if (!Object.hasOwn(inputResponses, key)) continue
    const parsed = parseInputResponse(request, inputResponses[key])
    if ('problem' in parsed) throw invalid(`params.inputResponses.${key}${parsed.problem}`)
    answers[key] = parsed.answer
  }
  return answers
}

function invalid(problem: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Invalid params: ${problem}`)
}
