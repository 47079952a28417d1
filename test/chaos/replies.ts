import type { RpcRequest, RpcResponse } from './chaosServer.js'

/** What a client can know from a response. */
export type Delivery =
  | { readonly type: 'answer'; readonly answer: RpcResponse }
  /** A response that says nothing of the request, except perhaps when not to come back. */
  | { readonly type: 'failure'; readonly notBefore?: number }
  /** Nothing that could be taken for a response: whoever has asked goes on waiting. */
  | { readonly type: 'nothing' }

export interface Reply {
  /** What the server said, if it comes through. */
  readonly answer?: RpcResponse
  /** What reaches the client, at this time of its clock. */
  readonly delivery: (wallClock: number) => Delivery
  readonly response: () => Response
}

const DAY_MS = 24 * 60 * 60_000

export function rpcBody({ id }: RpcRequest, answer: RpcResponse): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...answer })
}

function text(status: number, contentType: string, body: string, headers: Record<string, string> = {}): Response {
  const hasBody = status !== 204 && status !== 202
  return new Response(hasBody ? body : null, { status, headers: { 'content-type': contentType, ...headers } })
}

export const reply = {
  json: (request: RpcRequest, answer: RpcResponse): Reply => ({
    answer,
    delivery: () => ({ type: 'answer', answer }),
    response: () => text('error' in answer ? 400 : 200, 'application/json', rpcBody(request, answer)),
  }),

  /** The response as a stream, with whole messages before it. */
  stream: (request: RpcRequest, answer: RpcResponse, before: readonly string[]): Reply => {
    const events = [...before, rpcBody(request, answer)].map((body) => `event: message\ndata: ${body}\n\n`)
    return {
      answer,
      delivery: () => ({ type: 'answer', answer }),
      response: () => text(200, 'text/event-stream', events.join('')),
    }
  },

  /** A stream that says itself what comes over it. */
  open: (response: () => Response): Reply => ({ delivery: () => ({ type: 'nothing' }), response }),

  http: (status: number): Reply => ({
    delivery: () => ({ type: 'failure' }),
    response: () => text(status, 'text/plain', 'Not now.'),
  }),

  /** `Retry-After`, as seconds or, counted from `date`, as an HTTP date. */
  patience: (status: number, seconds: number, date: number | undefined): Reply => {
    const until = date === undefined ? undefined : Math.floor(date / 1000 + seconds) * 1000
    // No page believes that it is to wait for longer than a day.
    const believed = (wallClock: number) => Math.min(until ?? wallClock + seconds * 1000, wallClock + DAY_MS)
    const header = until === undefined ? String(seconds) : new Date(until).toUTCString()
    return {
      delivery: (wallClock) => ({ type: 'failure', notBefore: believed(wallClock) }),
      response: () => text(status, 'text/plain', 'Not now.', { 'retry-after': header }),
    }
  },
}

/** A response that a client cannot use, in one of the forms that proxies, login pages and bugs give it. */
export function malformed(request: RpcRequest, answer: RpcResponse, variant: number): Reply {
  const forms: (() => Response)[] = [
    () => text(200, 'text/html', '<!doctype html><title>Sign in</title>'),
    () => text(200, 'application/json', rpcBody(request, answer).slice(0, -9)),
    () => text(202, 'text/plain', ''),
    () => text(200, 'application/json', rpcBody({ ...request, id: 'somebody-else' }, answer)),
    () => text(200, 'text/event-stream', ''),
    () => text(200, 'application/json', rpcBody(request, broken(answer, { taskId: 42 }))),
    () => text(200, 'application/json', rpcBody(request, broken(answer, { status: 'thinking' }))),
    () => text(200, 'application/json', rpcBody(request, { result: { resultType: 'complete' } })),
  ]
  // Only what carries a task can be broken in the task, and a `tools/call` may well be answered without one.
  // What the SDK asks by itself has the SDK's timeouts, which are in real time: these forms fail at once.
  const isTask = 'result' in answer && 'taskId' in answer.result
  const isOurs = request.method === 'tools/call' || request.method.startsWith('tasks/')
  const count = !isOurs ? 2 : !isTask ? 5 : request.method === 'tools/call' ? 7 : 8
  const form = variant % count
  const isAbsent = request.method !== 'tools/call' && (form === 2 || form === 3)
  return { delivery: () => ({ type: isAbsent ? 'nothing' : 'failure' }), response: forms[form] as () => Response }
}

function broken(answer: RpcResponse, change: Record<string, unknown>): RpcResponse {
  return 'result' in answer ? { result: { ...answer.result, ...change } } : answer
}
