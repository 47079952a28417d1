import type { TaskClient } from 'taskwire'

export async function cancelAll(client: TaskClient): Promise<void> {
  const calls = Object.values(client.store.getState().calls)
  const running = calls.filter(({ phase }) => phase === 'calling' || phase === 'working' || phase === 'input_required')
  await Promise.allSettled(running.map(({ callId }) => client.getToolCall(callId)?.cancel()))
}
