type Json = Record<string, unknown>

/** What a server has answered, as text. */
export interface ReadResponse {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

/** What is wrong with a response to a request whose body was this, where it should be JSON-RPC; undefined: nothing. */
export function problemOf({ status, contentType, text }: ReadResponse, body: unknown): string | undefined {
  if (status >= 400)
    return contentType.includes('json') && parse(text) === undefined ? 'an error that is no JSON' : undefined
  if (status === 202 || status === 204) return text === '' ? undefined : `a ${status} with a body`
  if (status !== 200) return `HTTP ${status}`
  if (contentType.startsWith('text/event-stream')) {
    for (const message of eventsOf(text)) {
      const problem = isObject(message) && 'method' in message ? undefined : responseProblem(message, body)
      if (problem !== undefined) return `in a stream, ${problem}`
    }
    return undefined
  }
  if (!contentType.startsWith('application/json')) return `the content type ${contentType}`
  const answer = parse(text)
  const answers = Array.isArray(answer) && Array.isArray(body) ? answer : [answer]
  return answers.map((one) => responseProblem(one, body)).find((problem) => problem !== undefined)
}

/** The messages of a stream. */
export function eventsOf(text: string): unknown[] {
  return text.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    return data.join('').trim() === '' ? [] : [parse(data.join('\n'))]
  })
}

function responseProblem(message: unknown, body: unknown): string | undefined {
  if (!isObject(message)) return 'something else than a JSON object'
  const { jsonrpc, id, result, error } = message
  if (jsonrpc !== '2.0') return 'no jsonrpc: "2.0"'
  if ((result === undefined) === (error === undefined)) return 'not one of result and error'
  if (error === undefined) {
    if (!isObject(result)) return 'a result that is no object'
  } else if (!isObject(error) || !Number.isInteger(error['code']) || typeof error['message'] !== 'string') {
    return 'an error without a code and a message'
  }
  const asked = Array.isArray(body) ? body : [body]
  const ids = asked.map((one) => (isObject(one) ? one['id'] : undefined))
  // An error may not know whom it answers.
  return ids.includes(id) || (error !== undefined && id === null) ? undefined : `the id ${JSON.stringify(id)}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
