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
  /** What the button says that makes the call once more. */
  readonly again: string
}

/** What went wrong with a call, told apart by what the user can do about it. */
export function callProblem({ result, error }: ToolCallState): CallProblem | undefined {
  if (result?.isError) {
    const what = result.content.find((block) => block.type === 'text')?.text ?? 'The tool reported an error.'
    return { what, advice: 'The task completed; the tool could not do what was asked.', again: 'Try once more' }
  }
  if (error === undefined) return undefined
  if (error instanceof TaskCancelledError) {
    return { what: 'Stopped at your request.', advice: 'Nothing runs on the server any more.', again: 'Start again' }
  }
  if (error instanceof TaskFailedError) {
    const advice = `The server gave the task up with error ${error.code}. Running it again may help.`
    return { what: error.message, advice, again: 'Run again' }
  }
  if (error instanceof TaskExpiredError) {
    const advice = 'It expired, or the server was restarted. Its result cannot be fetched any more.'
    return { what: 'The server no longer has this report.', advice, again: 'Run again' }
  }
  if (error instanceof ToolCallInterruptedError) {
    const advice = 'The report may be running on the server all the same. Start another only if two do no harm.'
    return { what: 'The connection broke before the server had answered.', advice, again: 'Start another' }
  }
  if (error instanceof ConnectionFailedError) {
    const advice = 'Nothing was sent, so it is safe to try again.'
    return { what: 'The server could not be reached.', advice, again: 'Try again' }
  }
  return { what: error.message, advice: 'There will be no report from this call.', again: 'Try again' }
}
