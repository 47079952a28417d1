import { isSpecType } from '@modelcontextprotocol/server'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import type { InputRequest } from '../../core/protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { fieldTooLongForPattern } from '../tasks/formPattern.js'

/** A validator may quote what the client sent. */
const MAX_ISSUE_LENGTH = 200

/** The response if it fits its input request, else what is wrong with it, to be put after its name. */
export function parseInputResponse(
  request: InputRequest,
  value: unknown,
): { answer: JsonObject } | { problem: string } {
  if (!hasShapeOf(request, value)) return { problem: ` does not answer ${request.method}` }
  if (request.method !== 'elicitation/create' || value['action'] !== 'accept') return { answer: value }
  const { params } = request
  if (params.mode === 'url') return { answer: value }
  const issue = checkContent(params.requestedSchema, value['content'])
  if (issue === undefined) return { answer: value }
  return { problem: `.content does not fit the requestedSchema: ${issue.slice(0, MAX_ISSUE_LENGTH)}` }
}

function hasShapeOf(request: InputRequest, value: unknown): value is JsonObject {
  switch (request.method) {
    case 'elicitation/create':
      return isSpecType.ElicitResult(value)
    case 'sampling/createMessage':
      return isSpecType.CreateMessageResult(value) || isSpecType.CreateMessageResultWithTools(value)
    case 'roots/list':
      return isSpecType.ListRootsResult(value)
  }
}

/**
 * The schema is the tool's own, so its patterns are compiled. Not the SDK's default validator: it keeps every schema
 * that it has compiled, and each input request has one of its own.
 */
function checkContent(schema: JsonObject, content: unknown): string | undefined {
  // Without a prototype: else what every object inherits would pass for a field that is required.
  const fields: JsonObject = Object.assign(Object.create(null), isJsonObject(content) ? content : {})
  const long = fieldTooLongForPattern(schema, fields)
  if (long !== undefined) return `${long} is too long for its pattern`
  return new CfWorkerJsonSchemaValidator().getValidator(schema)(fields).errorMessage
}
