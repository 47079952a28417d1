import { inDevelopment } from '../environment/inDevelopment.js'
import { TaskRequestError, ToolCallInterruptedError } from '../protocol/errors.js'
import { READ_MORE } from '../protocol/readMore.js'
import { type ConnectRetry, inTime } from './opening.js'
import type { ConnectedSdk } from './sdkAdapter.js'
import { causes } from './wireErrors.js'

export interface ExplanationOptions {
  readonly retry?: ConnectRetry | undefined
  /** Called with what is in the way of requests and changes nothing of the connection. */
  readonly onError?: ((error: Error) => void) | undefined
}

/** Failures in a row of one call after which it is given up, if the server was there after each of them but the first `UNCHECKED`. */
const MAX_UNREADABLE = 6
/** After more, the client checks whether the server is there. One check may find a server that has only just come back. */
const UNCHECKED = 3

/**
 * Finds out why no answer to a call can be read that is sent again under its key. A page sees the same of a server that is down
 * and of a proxy that refuses the request in a response without CORS headers:
 *
 * ```text
 * tools/call ─╳ ─╳ ─╳ ─╳ server/discover ─╳ go on
 *                        server/discover ── 200 ── tools/call ─╳ server/discover ── 200 ── tools/call ─╳ server/discover ── 200
 *                                                                                      it is the body that is refused
 * ```
 */
export function createExplanation({ retry, onError }: ExplanationOptions) {
  /** Failures in a row that count, by the signal of the call. Most clients have none, and a backend has many clients. */
  let failures: WeakMap<AbortSignal, number> | undefined

  /** The error, or one that says more and ends the call. Rejects with the reason of `signal`, if it aborts meanwhile. */
  return async (
    error: unknown,
    tool: string,
    key: string | undefined,
    server: ConnectedSdk,
    signal?: AbortSignal,
  ): Promise<unknown> => {
    if (key === undefined || signal === undefined) return error
    const isUnreadable =
      error instanceof ToolCallInterruptedError && causes(error).some((one) => one instanceof TypeError)
    const count = isUnreadable ? (failures?.get(signal) ?? 0) + 1 : 0
    failures ??= new WeakMap()
    failures.set(signal, count)
    if (count <= UNCHECKED || server.ping === undefined) return error
    const isThere = await inTime(retry, server.ping, signal).then(
      () => true,
      () => false,
    )
    signal.throwIfAborted()
    if (!isThere) failures.set(signal, UNCHECKED)
    if (!isThere || count < MAX_UNREADABLE) return error
    failures.delete(signal)
    const told = bodyRefusedError(tool, error as Error)
    onError?.(told)
    return told
  }
}

const REFUSED_BODY =
  'A proxy or a firewall may limit its size (HTTP 413) or its content (HTTP 403), and answer without CORS headers. ' +
  'The network panel of the browser shows the status.'

function bodyRefusedError(tool: string, { cause }: Error): ToolCallInterruptedError {
  return new ToolCallInterruptedError(tool, {
    message:
      `Failed to call "${tool}": it was sent ${MAX_UNREADABLE} times or more and no answer could be read, while server/discover is answered. ` +
      `${inDevelopment ? `So its body is what is refused. It is not known whether the tool runs. ${REFUSED_BODY}` : READ_MORE}`,
    // It is not to be repeated.
    cause: new TaskRequestError('The body of tools/call is refused.', {
      kind: 'network',
      retryAfterMs: Number.POSITIVE_INFINITY,
      cause,
    }),
  })
}
