import { TaskCancelledError } from 'taskwire'
import { client } from './client'

const title = Object.assign(document.createElement('h1'), {
  textContent: 'Weekly report',
})
const start = Object.assign(document.createElement('button'), {
  textContent: 'Generate the weekly report',
})
const bar = Object.assign(document.createElement('progress'), {
  ariaLabel: 'Progress of the report',
})
const line = document.createElement('p')
const cancel = Object.assign(document.createElement('button'), {
  textContent: 'Cancel',
})
const main = document.createElement('main')
main.append(title, start, bar, line, cancel)
document.body.replaceChildren(main)

const callId = client.toolCallId('generate_report', 'weekly')

function show() {
  const call = client.getToolCallState(callId)
  const isRunning = call !== undefined && call.endedAt === undefined
  start.hidden = isRunning
  bar.hidden = cancel.hidden = !isRunning
  cancel.disabled = call?.isCancelling === true
  bar.max = call?.progress?.total ?? 1
  if (call?.progress?.total) bar.value = call.progress.progress
  else bar.removeAttribute('value') // no value: the bar moves back and forth

  const isCancelled = call?.error instanceof TaskCancelledError
  const hasFailed = call?.result?.isError || (call?.error && !isCancelled)
  line.role = hasFailed ? 'alert' : 'status'
  if (call?.result)
    line.textContent = call.result.content
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('\n')
  else if (call?.error) line.textContent = call.error.message
  else if (call?.phase === 'input_required')
    line.textContent = 'Waiting for your answer.'
  else if (isRunning && call.network === 'retrying')
    line.textContent = 'Reconnecting…'
  else
    line.textContent = isRunning ? (call.progress?.message ?? 'Starting…') : ''
}

start.addEventListener('click', () => {
  client.startToolCall(
    { name: 'generate_report', arguments: { quarter: 'Q3' } },
    // Calls the tool again once the call with this key has ended.
    { key: 'weekly', repeat: 'settled' },
  )
})
cancel.addEventListener('click', () => client.getToolCall(callId)?.cancel())

show()
client.subscribeToolCall(callId, show)
client.resumeToolCalls({ callId }) // the call of an earlier visit
