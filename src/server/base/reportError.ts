/** Where in the server an error occurred. */
export interface TaskServerErrorContext {
  /**
   * `tool`: a handler threw an error, and the client only knows that the call failed. `server`: the store failed, or a
   * function of the options such as `owner`. `request`: a request was invalid and was refused; the client got the reason.
   * Error messages of `request` come from the SDK and may quote the request, including task ids: keep them out of logs.
   */
  readonly source: 'tool' | 'server' | 'request'
  /** The name of the tool, if it is known. */
  readonly tool?: string
  /** The id of the request in the log: its `X-Request-Id`, or a generated one. */
  readonly requestId?: string
}

/** Reports an error. Never throws. */
export type ReportError = (error: unknown, context: TaskServerErrorContext) => void
