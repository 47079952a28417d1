import { type SettledToolCall, titleOf } from './toolCallState.js'

/** One line that says which call has ended and how, in English. */
export function headingOf(call: SettledToolCall): string {
  const what = titleOf(call) || 'A task'
  if (call.phase === 'cancelled') return `${what} was cancelled`
  return call.result && !call.result.isError ? `${what} is done` : `${what} has failed`
}
