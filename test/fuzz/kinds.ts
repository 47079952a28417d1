/** How a response is mangled on its way to the client. */
export const RESPONSE_MANGLES = [
  'JSON members',
  'JSON text',
  'JSON-RPC envelope',
  'messages in between',
  'event stream framing',
  'event stream cut',
  'HTTP status',
  'HTTP headers',
  'content type',
  'task id in words',
  'connection lost',
  'silence',
] as const

export type ResponseMangle = (typeof RESPONSE_MANGLES)[number]

/** How a request is mangled on its way to the server. */
export const REQUEST_MANGLES = [
  'request members',
  'request text',
  'request headers',
  'request method',
  'request path',
  'request body stream',
  'request batch',
  'request parsed already',
  'request without envelope',
] as const

export type RequestMangle = (typeof REQUEST_MANGLES)[number]

/** What else is mangled. */
export const OTHER_MANGLES = ['message between tabs', 'storage record', 'foreign storage item'] as const

export type Mangle = ResponseMangle | RequestMangle | (typeof OTHER_MANGLES)[number]

/** What must not happen. */
export const BREACHES = [
  'never settled',
  'unhandled error',
  'poll too early',
  'flood of requests',
  'prototype polluted',
  'task id told',
  'tool run twice',
  'error of no known class',
  'foreign item touched',
  'left running after close()',
  'answer is no JSON-RPC',
  'HTTP 5xx',
  'request never answered',
  'internal error',
  'server unusable afterwards',
] as const

export type Breach = (typeof BREACHES)[number]

/** What happened, for the scale of the tables. */
export const EVENTS = ['runs', 'requests', 'calls', 'calls settled'] as const

export type TallyKey = Mangle | Breach | (typeof EVENTS)[number]

/** Counts by kind. */
export type Counts = Partial<Record<TallyKey, number>>

export function add(counts: Counts, key: TallyKey, times = 1): void {
  counts[key] = (counts[key] ?? 0) + times
}
