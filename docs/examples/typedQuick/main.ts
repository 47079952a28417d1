import { client } from './client'

document.body.innerHTML = `
  <main>
    <h1>Weekly report</h1>
    <button>Generate the weekly report</button> <button>Cancel</button>
    <output></output>
  </main>`
const [start, cancel] = document.querySelectorAll('button')
const output = document.querySelector('output')

const callId = client.toolCallId('generate_report', 'weekly')

function show() {
  const call = client.getToolCallState(callId)
  if (!output) return
  if (call?.result)
    output.textContent = call.result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  else if (call?.phase === 'input_required') output.textContent = 'Waiting for your answer.'
  else output.textContent = call?.error?.message ?? call?.progress?.message ?? call?.phase ?? ''
}

start?.addEventListener('click', () => {
  client.startToolCall(
    { name: 'generate_report', arguments: { quarter: 'Q3' } },
    { key: 'weekly', repeat: 'settled' }, // again, once the call of this key has ended
  )
})
cancel?.addEventListener('click', () => client.getToolCall(callId)?.cancel())

client.subscribeToolCall(callId, show)
client.resumeToolCalls({ callId }) // what an earlier visit has started
