import { fromJsonSchema } from '@modelcontextprotocol/client'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import type { JsonObject } from '../protocol/json.js'

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel']

/**
 * What is wrong with an answer, undefined where nothing is. The content of an accepted form is checked
 * against its `requestedSchema` by the validator that the SDK uses on this platform.
 */
export async function checkAnswer(request: InputRequest, response: InputResponse): Promise<string | undefined> {
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
    checked = await fromJsonSchema(schema)['~standard'].validate(content ?? {})
  } catch {
    // A schema that cannot be compiled rules nothing out; the server judges.
    return undefined
  }
  return checked.issues?.[0]?.message
}
