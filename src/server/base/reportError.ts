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
}

/** Reports an error. Never throws. */
export type ReportError = (error: unknown, context: TaskServerErrorContext) => void

/** Reports to `onError`, or to the console what would otherwise be seen by nobody. */
export function createReporter(onError: ReportError | undefined): ReportError {
  return (error, context) => {
    try {
      if (onError !== undefined) onError(error, context)
      else if (context.source !== 'request') logError(error, context)
    } catch {
      // A reporter that fails must not change what the client gets.
    }
  }
}

function logError(error: unknown, { source, tool }: TaskServerErrorContext): void {
  const where = tool === undefined ? source : `${source} ${JSON.stringify(tool)}`
  // biome-ignore lint/suspicious/noConsole: the client gets a generic message, so this is the only trace of a bug.
  console.error(`[taskwire] ${where} failed:`, error)
}
