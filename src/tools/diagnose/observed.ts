import type { JsonObject } from '../../core/protocol/json.js'
import type { TaskStatus } from '../../core/protocol/task.js'

/** Why there was no HTTP response. */
export type FailureKind = 'timeout' | 'name' | 'refused' | 'certificate' | 'tls' | 'network'

/** A request without an HTTP response. */
export interface Failure {
  readonly kind: FailureKind
  readonly message: string
}

/** An HTTP response, read as far as it is about the request. */
export interface HttpAnswer {
  /** 0 for a redirect in a page, which shows no more of it. */
  readonly status: number
  /** In a page only those that the server exposes. */
  readonly headers: Headers
  readonly text: string
  /** The JSON-RPC response to the request, where the body has one. */
  readonly message: JsonObject | undefined
  /** True if the body is an event stream that ended, or was silent for too long, without a response. */
  readonly isUnanswered: boolean
}

/** What came of a request. */
export type Answer = HttpAnswer | { readonly failure: Failure }

/** The page that is to use the server. */
export interface Page {
  readonly origin: string
  /** True if the origin of the page is unknown, so that a server need not let it in. */
  readonly isAssumed: boolean
}

/** What came of asking whether a page may send a request with these headers. */
export interface PreflightSeen {
  readonly headers: readonly string[]
  /** Undefined where it is not to be seen, as in a page, and where nothing came. */
  readonly status: number | undefined
  readonly allowsOrigin: boolean
  /** Those of the headers that the page may not send. */
  readonly refused: readonly string[]
  /** How long a browser may keep the permission, in seconds; null where the server does not say, undefined where it is not to be seen. */
  readonly maxAge: number | null | undefined
  /** Undefined where it was not asked. */
  readonly allowsPrivateNetwork: boolean | undefined
}

/** What a server says of itself. */
export interface ServerSeen {
  /** `modern` for 2026-07-28, `legacy` for the revisions before it. */
  readonly era: 'modern' | 'legacy'
  readonly revision: string
  readonly name: string | undefined
  readonly capabilities: JsonObject
  readonly servesTasks: boolean
  readonly hasSession: boolean
}

/** What came of `subscriptions/listen`. */
export interface StreamSeen {
  /**
   * `open`: as long as somebody watched. `ended`: by a response of the server. `cut`: without one. `silent`: nothing came.
   * `unsupported`: the server does not push, which it need not. `refused`: anything else than a stream.
   */
  readonly outcome: 'open' | 'ended' | 'cut' | 'silent' | 'unsupported' | 'refused'
  /** From its first event to its end, in ms. */
  readonly lastedMs: number
  readonly answer: Answer | undefined
}

/** One `tasks/get` of the task. */
export interface Poll {
  /** The time since the response to `tools/call`, in ms. */
  readonly atMs: number
  readonly tookMs: number
  readonly status: TaskStatus | undefined
  readonly statusMessage: string | undefined
  readonly pollIntervalMs: number | undefined
}

/** A call of a tool, from start to end. */
export interface TaskRun {
  readonly tool: string
  /**
   * `result`: the server answered at once, without a task. `lost`: the server did not know the task that it had created.
   * `broken`: a response violated the specification. `asks`: the task asked for input, and was cancelled. `endless`: the
   * task is past its ttl.
   */
  readonly outcome: 'result' | 'completed' | 'failed' | 'cancelled' | 'lost' | 'broken' | 'refused' | 'asks' | 'endless'
  /** Details in words, if there are any. */
  readonly detail: string | undefined
  /** What the tool or its task says of its failure: of a result with `isError: true`, too. Undefined if it has not failed. */
  readonly toolError: string | undefined
  readonly polls: readonly Poll[]
}

/** All that was seen of a server. What could not be asked is undefined, and no check judges it. */
export interface Observed {
  readonly url: URL
  /** Undefined where the page comes from the server itself, so that no CORS is needed. */
  readonly page: Page | undefined
  readonly isOffline: boolean
  /** True outside of a page: every header of every response can be read. */
  readonly seesHeaders: boolean
  /** True if requests carry credentials, or the server asks for them. */
  readonly needsCredentials: boolean
  readonly preflights: readonly PreflightSeen[]
  /** True if the page may send requests and read responses without headers of its own; undefined where it was not tried. */
  readonly isReadable: boolean | undefined
  /** True if the server refuses what it answers without an `Origin` when it comes with that of the page. */
  readonly isOriginRefused: boolean
  /** The response to the first request; undefined where none was sent. */
  readonly first: Answer | undefined
  readonly server: ServerSeen | undefined
  /** The response to a request that a server has to refuse. */
  readonly refusal: Answer | undefined
  /** The response to `tasks/get` with an id that no task has. */
  readonly unknownTask: Answer | undefined
  readonly stream: StreamSeen | undefined
  readonly run: TaskRun | undefined
}
