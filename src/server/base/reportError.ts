/** Where in the server an error came up. */
export interface TaskServerErrorContext {
  /**
   * `tool`: a handler threw, and the client only knows that it failed. `server`: the store, or an option such as `owner`.
   * `request`: a request was invalid and was refused; the client got the reason. Messages of the latter come from the SDK and
   * may quote the request, task ids included: mind your logs.
   */
  readonly source: 'tool' | 'server' | 'request'
  /** The tool that was called, where it is known. */
  readonly tool?: string
  /** The id of the request in the log: its `X-Request-Id`, or a generated one. */
  readonly requestId?: string
}

/** Reports an error. Never throws. */
export type ReportError = (error: unknown, context: TaskServerErrorContext) => void
