import { from } from 'solid-js'
import { createTaskClient, type ToolCallState } from 'taskwire'

const client = createTaskClient({ url: '/mcp' })

// The key makes it one call, in every tab and after a reload.
const tool = 'generate_report'
const key = 'sales'
const callId = client.toolCallId(tool, key)

export function createReport() {
  const call = from<ToolCallState | undefined>((set) => {
    const show = () => set(() => client.getToolCallState(callId))
    show()
    return client.subscribeToolCall(callId, show)
  })
  // What an earlier visit or another tab has started.
  client.resumeToolCalls({ callId })

  return {
    call,
    generate: (quarter: string) =>
      client.startToolCall({ name: tool, arguments: { quarter } }, { key, repeat: 'settled' }),
    cancel: () => client.getToolCall(callId)?.cancel(),
  }
}
