import { type SettledToolCall, titleOf } from './toolCallState.js'

/** One line that says which call has ended and how, in English. */
export function headingOf(call: SettledToolCall): string {
  const what = titleOf(call) || 'A task'
  if (call.phase === 'cancelled') return `${what} was cancelled`
  return call.phase === 'failed' || call.result?.isError ? `${what} has failed` : `${what} is done`
}
