import type { FormIssue } from '../protocol/formIssues.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel']

/** What is wrong with the content of a form. */
export type CheckForm = (schema: JsonObject, content: JsonObject) => readonly FormIssue[]

/**
 * What is wrong with an input response: in words where the app has made it wrongly, by field where a form is filled in wrongly;
 * undefined where nothing is.
 */
export async function validateInputResponse(
  request: InputRequest,
  response: InputResponse,
  checkForm: CheckForm,
): Promise<string | readonly FormIssue[] | undefined> {
  if (typeof response !== 'object' || response === null) return 'it is not an object'
  switch (request.method) {
    case 'elicitation/create': {
      if (!ACTIONS.includes(response['action'])) return "its action is not one of 'accept', 'decline' and 'cancel'"
      if (response['action'] !== 'accept' || request.params.mode === 'url') return undefined
      const { content = {} } = response
      if (!isJsonObject(content)) return 'its content is not an object'
      const issues = checkForm(request.params.requestedSchema, content)
      return issues.length === 0 ? undefined : issues
    }
    case 'sampling/createMessage':
      if (typeof response['model'] !== 'string') return 'it names no model'
      if (response['role'] !== 'assistant' && response['role'] !== 'user') return 'it has no role'
      return response['content'] === undefined ? 'it has no content' : undefined
    case 'roots/list':
      return Array.isArray(response['roots']) ? undefined : 'it has no list of roots'
  }
}
