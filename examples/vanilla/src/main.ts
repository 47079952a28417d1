import {
  createTaskClient,
  TaskCancelledError,
  ToolCallInterruptedError,
  type ToolCallState,
} from 'taskwire'
import './style.css'

const form = document.querySelector('form')!
const select = form.querySelector('select')!
const running = document.querySelector<HTMLElement>('#running')!
const progress = running.querySelector('progress')!
const alert = document.querySelector<HTMLElement>('[role=alert]')!
const output = document.querySelector('output')!

const client = createTaskClient({ url: '/mcp' })

// The key makes it one call, in every tab and after a reload.
const tool = 'generate_report'
const key = 'sales'
const callId = client.toolCallId(tool, key)
let shownSince: number | undefined

function show() {
  const call = client.getToolCallState(callId)
  const isRunning = call !== undefined && call.endedAt === undefined

  // The arguments are not stored: `meta` says what was asked for.
  if (call?.meta && call.startedAt !== shownSince)
    select.value = String(call.meta.quarter)
  shownSince = call?.startedAt
  select.disabled = isRunning
  form.querySelector('button')!.disabled = isRunning

  running.hidden = !isRunning
  running.querySelector('button')!.disabled = call?.isCancelling ?? false
  running.querySelector('p')!.textContent = newsOf(call)
  progress.max = call?.progress?.total ?? 1
  // Without a value the bar says that it is unknown how long it takes.
  if (call?.progress?.total) progress.value = call.progress.progress
  else progress.removeAttribute('value')

  // A tool that has failed has a result, too.
  const text = (call?.result?.content ?? [])
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
  const problem = call?.error
    ? explain(call.error)
    : call?.result?.isError
      ? text
      : undefined
  alert.hidden = problem === undefined
  alert.role = call?.error instanceof TaskCancelledError ? 'status' : 'alert'
  alert.textContent = problem ?? ''
  output.hidden = !call?.result || problem !== undefined
  output.textContent = text
}

/** What the page says of a report that is being made. */
function newsOf(call: ToolCallState | undefined) {
  if (call?.network === 'offline')
    return call.phase === 'working'
      ? 'You are offline. The report continues.'
      : 'You are offline. Waiting for the network.'
  if (call?.network === 'retrying') return 'Reconnecting…'
  if (call?.phase === 'input_required') return 'Waiting for your answer.'
  return call?.progress?.message ?? 'Starting…'
}

function explain(error: Error) {
  if (error instanceof TaskCancelledError) return 'The report was cancelled.'
  if (error instanceof ToolCallInterruptedError)
    return 'The page was closed before the server answered. Start again?'
  return error.message
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const quarter = select.value
  const meta = { title: 'Sales report', quarter }
  client.startToolCall(
    { name: tool, arguments: { quarter } },
    { key, repeat: 'settled', meta },
  )
})

running
  .querySelector('button')!
  .addEventListener('click', () => client.getToolCall(callId)?.cancel())

client.subscribeToolCall(callId, show)
// Calls that an earlier visit or another tab has started.
client.resumeToolCalls({ callId })

// Every call, poll and message, in a panel at the edge of the page. A production
// build leaves it out.
if (import.meta.env.DEV) {
  void import('taskwire/devtools').then(({ mountTaskwireDevtools }) =>
    mountTaskwireDevtools(client),
  )
}
