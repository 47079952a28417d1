import { createTaskClient } from 'taskwire'
import { onScopeDispose, shallowRef } from 'vue'

const client = createTaskClient({ url: '/mcp' })

// The key makes it one call, in every tab and after a reload.
const tool = 'generate_report'
const key = 'sales'
const callId = client.toolCallId(tool, key)

export function useReport() {
  const call = shallowRef(client.getToolCallState(callId))
  const unsubscribe = client.subscribeToolCall(callId, () => {
    call.value = client.getToolCallState(callId)
  })
  onScopeDispose(unsubscribe)
  // What an earlier visit or another tab has started.
  client.resumeToolCalls({ callId })

  return {
    call,
    generate: (quarter: string) =>
      client.startToolCall({ name: tool, arguments: { quarter } }, { key, repeat: 'settled' }),
    cancel: () => client.getToolCall(callId)?.cancel(),
  }
}
