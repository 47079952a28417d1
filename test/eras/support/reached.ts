import type { TaskClient, ToolCallState } from 'taskwire'

/** Resolves with the state of the call as soon as it is as asked for. */
export function reached(
  client: TaskClient,
  callId: string,
  matches: (call: ToolCallState) => boolean,
): Promise<ToolCallState> {
  return new Promise((resolve) => {
    const look = () => {
      const call = client.store.getState().calls[callId]
      if (call === undefined || !matches(call)) return
      unsubscribe()
      resolve(call)
    }
    const unsubscribe = client.store.subscribe(look)
    look()
  })
}
