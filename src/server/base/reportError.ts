/** Where in the server an error came up. */
export interface TaskServerErrorContext {
  /**
   * `tool`: a handler threw, and the client was told no more than that it failed. `server`: the store, or
   * an option such as `owner`. `request`: a request was refused for what it is; the client was told why.
   * Messages of the latter come from the SDK and may quote the request, task ids included: mind your logs.
   */
  readonly source: 'tool' | 'server' | 'request'
  /** The tool that was called, where it is known. */
  readonly tool?: string
  /** What the log calls the request: its `X-Request-Id`, or one that was made up. */
  readonly requestId?: string
}

/** Reports an error. Never throws. */
export type ReportError = (error: unknown, context: TaskServerErrorContext) => void
