import {
  ConnectionFailedError,
  TaskCancelledError,
  TaskExpiredError,
  TaskFailedError,
  ToolCallInterruptedError,
  type ToolCallState,
} from 'taskwire'

export interface CallProblem {
  readonly what: string
  readonly advice: string
  /** For developers: the name of the error, and its code where there is one. */
  readonly code: string
}

/** What went wrong with a call, told apart by what the user can do about it. */
export function callProblem({ result, error }: ToolCallState): CallProblem | undefined {
  if (result?.isError) {
    const what = result.content.find((block) => block.type === 'text')?.text ?? 'The server reported an error.'
    return { what, advice: 'The render ended, and its result was rejected.', code: 'isError: true' }
  }
  if (error === undefined) return undefined
  return { code: codeOf(error), ...wordsFor(error) }
}

function wordsFor(error: Error): Pick<CallProblem, 'what' | 'advice'> {
  if (error instanceof TaskCancelledError) {
    return { what: 'Stopped at your request.', advice: 'Nothing runs on the server now.' }
  }
  if (error instanceof TaskFailedError) {
    return { what: error.message, advice: 'The server gave up. Starting it again may help.' }
  }
  if (error instanceof TaskExpiredError) {
    return {
      what: 'The server no longer has this.',
      advice: 'The server kept it for as long as it promised, or lost it. The result is gone.',
    }
  }
  if (error instanceof ToolCallInterruptedError) {
    return {
      what: 'The connection broke before the server had answered.',
      advice: 'It may be running on the server anyway. Start it again only if running twice does no harm.',
    }
  }
  if (error instanceof ConnectionFailedError) {
    return { what: 'The server could not be reached.', advice: 'Nothing was sent, so it is safe to try again.' }
  }
  return { what: 'It failed.', advice: error.message }
}

function codeOf(error: Error): string {
  return 'code' in error ? `${error.name}, code ${error.code}` : error.name
}
