import {
  TaskCancelledError,
  type TaskClient,
  type ToolCallState,
} from 'taskwire'

/**
 * Shows a call: its progress with a button that cancels it, then its result or
 * its error. Returns a function that stops.
 */
export function showReport(
  client: TaskClient,
  callId: string,
  parent: HTMLElement,
): () => void {
  const output = document.createElement('output')
  const cancel = document.createElement('button')
  cancel.addEventListener('click', () => client.getToolCall(callId)?.cancel())
  parent.append(output, ' ', cancel)

  function show() {
    const call = client.getToolCallState(callId)
    output.textContent = textOf(call)
    output.role = isProblem(call) ? 'alert' : 'status'
    cancel.hidden = call === undefined || call.endedAt !== undefined
    cancel.disabled = call?.isCancelling === true
    cancel.textContent = call?.isCancelling ? 'Cancelling…' : 'Cancel'
  }

  show()
  return client.subscribeToolCall(callId, show)
}

function isProblem(call: ToolCallState | undefined): boolean {
  return call?.phase === 'failed' || call?.result?.isError === true
}

function textOf(call: ToolCallState | undefined): string {
  if (call === undefined) return ''
  if (call.error instanceof TaskCancelledError)
    return 'The report was cancelled.'
  if (call.error) return call.error.message
  // A tool that has failed has a result, too: its text is the message.
  if (call.result)
    return call.result.content
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('\n')
  if (call.network === 'retrying') return 'Reconnecting…'
  if (call.phase === 'input_required') return 'Waiting for your answer.'
  return call.progress?.message ?? 'Starting…'
}
