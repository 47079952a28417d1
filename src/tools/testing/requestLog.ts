import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import type { Clock } from '../../server/base/clock.js'

/** A request that a client has sent, even if a fault kept it from the server. */
export interface LoggedRequest {
  /** The JSON-RPC method, such as `tools/call`; the HTTP method if the request is not JSON-RPC. */
  readonly method: string
  /** `params.name`: for a `tools/call`, the tool. */
  readonly name?: string
  /** The params as the client sent them, including `_meta`. */
  readonly params: JsonObject
  readonly headers: Headers
  /** When the request arrived, in ms since the server was created, by the clock of the server. */
  readonly at: number
}

/** The requests that clients have sent, for assertions. */
export interface RequestLog {
  /** Every request, oldest first. */
  readonly requests: readonly LoggedRequest[]
  /** Returns the number of requests with this method, and with a name, for this tool. */
  count(method: string, name?: string): number
  /** Returns when these requests arrived, in ms since the server was created. */
  times(method: string, name?: string): number[]
}

/** A log that can be written. */
export interface WritableRequestLog extends RequestLog {
  add(request: Request, body: unknown): LoggedRequest
  clear(): void
}

/** A log that tells the time by this clock, from now on. */
export function createRequestLog(clock: Clock): WritableRequestLog {
  const startedAt = clock.now()
  const requests: LoggedRequest[] = []
  const matching = (method: string, name?: string) =>
    requests.filter((request) => request.method === method && (name === undefined || request.name === name))

  return {
    requests,
    count: (method, name) => matching(method, name).length,
    times: (method, name) => matching(method, name).map(({ at }) => at),
    add(request, body) {
      const message = isJsonObject(body) ? body : {}
      const params = isJsonObject(message['params']) ? message['params'] : {}
      const entry: LoggedRequest = {
        method: typeof message['method'] === 'string' ? message['method'] : request.method,
        ...(typeof params['name'] === 'string' && { name: params['name'] }),
        params,
        headers: request.headers,
        at: clock.now() - startedAt,
      }
      requests.push(entry)
      return entry
    },
    clear() {
      requests.length = 0
    },
  }
}
