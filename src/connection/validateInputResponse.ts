import { fromJsonSchema } from '@modelcontextprotocol/client'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { cutText } from '../protocol/text.js'

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel']

/** What a field of a form may ask for (MCP 2026-07-28, "Elicitation", "Requested Schema"), beside its fields and choices. */
const KEYWORDS: readonly string[] = [
  'type',
  'required',
  'enum',
  'const',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
]
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time']

/**
 * What is wrong with an input response, undefined where nothing is. The content of an accepted form is checked by the
 * validator that the SDK uses on this platform, against what of its `requestedSchema` a form may have.
 */
export async function validateInputResponse(
  request: InputRequest,
  response: InputResponse,
): Promise<string | undefined> {
  if (typeof response !== 'object' || response === null) return 'it is not an object'
  switch (request.method) {
    case 'elicitation/create':
      if (!ACTIONS.includes(response['action'])) return "its action is none of 'accept', 'decline' and 'cancel'"
      if (response['action'] !== 'accept' || request.params.mode === 'url') return undefined
      return checkContent(request.params.requestedSchema, response['content'])
    case 'sampling/createMessage':
      if (typeof response['model'] !== 'string') return 'it names no model'
      if (response['role'] !== 'assistant' && response['role'] !== 'user') return 'it has no role'
      return response['content'] === undefined ? 'it has no content' : undefined
    case 'roots/list':
      return Array.isArray(response['roots']) ? undefined : 'it has no list of roots'
  }
}

async function checkContent(schema: JsonObject, content: unknown): Promise<string | undefined> {
  let checked: { readonly issues?: readonly { readonly message: string }[] | undefined }
  try {
    checked = await fromJsonSchema(formSchema(schema))['~standard'].validate(content ?? {})
  } catch {
    // A schema that cannot be compiled rules nothing out; the server judges.
    return undefined
  }
  const message = checked.issues?.[0]?.message
  return message && cutText(message)
}

/** The schema without what the server has to judge: on patterns and references of its choice a validator can be at work for ever. */
function formSchema(schema: unknown): JsonObject {
  if (!isJsonObject(schema)) return {}
  const { properties, items, anyOf, oneOf, format } = schema
  // One of several that say less here than they did would be one too many.
  const choices = anyOf ?? oneOf
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => KEYWORDS.includes(keyword))),
    ...(isJsonObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, formSchema(field)])),
    }),
    ...(isJsonObject(items) && { items: formSchema(items) }),
    ...(Array.isArray(choices) && { anyOf: choices.map(formSchema) }),
    ...(FORMATS.includes(format) && { format }),
  }
}
