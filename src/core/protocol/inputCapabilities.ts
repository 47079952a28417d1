import { TaskInputRequiredError } from './errors.js'
import { type InputRequest, parseInputRequest } from './inputRequest.js'
import { isJsonObject } from './json.js'

type Method = InputRequest['method']

/** The capability that declares that the client answers requests of a method. */
export const CAPABILITY_OF: Readonly<Record<Method, 'elicitation' | 'sampling' | 'roots'>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** The methods by which servers ask clients. */
export const INPUT_METHODS = /* @__PURE__ */ Object.keys(CAPABILITY_OF) as readonly Method[]

/**
 * The capability that a request needs and a client with these capabilities has not declared, for instance
 * `elicitation.url`; undefined where none is missing (MCP 2026-07-28, "Elicitation", "Sampling", "Roots").
 */
export function missingCapability(capabilities: unknown, request: InputRequest): string | undefined {
  const name = CAPABILITY_OF[request.method]
  const declared = isJsonObject(capabilities) ? capabilities[name] : undefined
  if (!isJsonObject(declared)) return name
  const part = partOf(request)
  // An empty capability stands for forms.
  if (part === undefined || part in declared || (part === 'form' && !('url' in declared))) return undefined
  return `${name}.${part}`
}

/** What the request needs beyond the capability as such. */
function partOf({ method, params }: InputRequest): string | undefined {
  if (method === 'elicitation/create') return params.mode ?? 'form'
  if (method === 'roots/list') return undefined
  return (params['tools'] ?? params['toolChoice']) === undefined ? undefined : 'tools'
}

/** The end of a call that asks for what the client has not declared: no input response says so. */
export function undeclaredError(
  missing: string,
  ids: { readonly taskId?: string | undefined; readonly callId?: string } = {},
): TaskInputRequiredError {
  return new TaskInputRequiredError(
    `The server asks for input that the client has not declared (${missing}). ` +
      'Pass a handler in input.handlers, or declare it in the capabilities of the client.',
    ids,
  )
}

/**
 * The refusal of input requests one of which was not declared in the request that they respond to. What else is wrong
 * with them is said where they are taken.
 */
export function undeclaredInput(inputRequests: unknown, capabilities: unknown): Error | undefined {
  for (const request of Object.values(isJsonObject(inputRequests) ? inputRequests : {})) {
    const parsed = parseInputRequest(request)
    const missing = 'request' in parsed ? missingCapability(capabilities, parsed.request) : undefined
    if (missing !== undefined) return undeclaredError(missing)
  }
  return undefined
}
