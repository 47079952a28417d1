import { createSubscriber } from 'svelte/reactivity'
import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: '/mcp' })

// The key makes it one call, in every tab and after a reload.
const tool = 'generate_report'
const key = 'sales'
const callId = client.toolCallId(tool, key)

// Called in the browser, by the first component that reads `report.call`.
const subscribe = createSubscriber((update) => {
  const unsubscribe = client.subscribeToolCall(callId, update)
  // What an earlier visit or another tab has started.
  client.resumeToolCalls({ callId })
  return unsubscribe
})

export const report = {
  get call() {
    subscribe()
    return client.getToolCallState(callId)
  },
  generate: (quarter: string) =>
    client.startToolCall({ name: tool, arguments: { quarter } }, { key, repeat: 'settled' }),
  cancel: () => client.getToolCall(callId)?.cancel(),
}
