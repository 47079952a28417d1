import type { InputRequest } from '../protocol/inputRequest.js'

/** What kinds of input requests are called in the keys of `inputRequests`. */
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
