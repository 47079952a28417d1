import { isSpecType } from '@modelcontextprotocol/server'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { JsonObject } from '../protocol/json.js'

/** What questions are called in the keys of `inputRequests`. */
export function inputKind(request: InputRequest): 'elicitation' | 'sampling' | 'roots' {
  switch (request.method) {
    case 'elicitation/create':
      return 'elicitation'
    case 'sampling/createMessage':
      return 'sampling'
    case 'roots/list':
      return 'roots'
  }
}

/** True where the value has the shape of an answer to the question: tools must not be handed anything else. */
export function isAnswerTo(request: InputRequest, value: unknown): value is JsonObject {
  switch (request.method) {
    case 'elicitation/create':
      return isSpecType.ElicitResult(value)
    case 'sampling/createMessage':
      return isSpecType.CreateMessageResult(value) || isSpecType.CreateMessageResultWithTools(value)
    case 'roots/list':
      return isSpecType.ListRootsResult(value)
  }
}
