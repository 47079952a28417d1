import type { TaskClient, ToolCall } from '../../core/client/taskClient.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'

/** What is used of a client to follow a call of any tool. */
export type CallsOfClient = Pick<
  TaskClient,
  'subscribeToolCall' | 'getToolCallState' | 'getToolCall' | 'resume' | 'resumeToolCalls'
>

/**
 * Calls the listener when the call changes, and waits for its outcome: a lazy client follows it meanwhile, and that of a call
 * which ended in an earlier visit is fetched, found by this where the client is lazy. Returns a function that unsubscribes.
 */
export function watchToolCall(client: CallsOfClient, callId: string | undefined, listener: () => void): () => void {
  if (callId === undefined) return () => {}
  let handle: ToolCall | undefined
  let isCurrent = true
  const wait = () => {
    const state = client.getToolCallState(callId)
    if (state === undefined || state === handle?.getState()) return
    handle?.detach()
    // This changes the call, and the listener is called once more.
    if (state.phase === 'ended') return void client.getToolCall(callId)
    handle = client.getToolCall(callId)
    void handle?.result
  }
  /** A lazy client has not looked for the calls of earlier visits. A turn later, when a query has made its call. */
  const resume = async () => {
    await Promise.resolve()
    if (!isCurrent || client.getToolCallState(callId) !== undefined) return
    for (const call of await client.resumeToolCalls({ callId })) call.detach()
  }
  const unsubscribe = client.subscribeToolCall(callId, () => {
    listener()
    wait()
  })
  wait()
  if (client.resume === 'lazy') void resume()
  return () => {
    isCurrent = false
    unsubscribe()
    handle?.detach()
  }
}

/** The call with this id, or undefined. */
export function stateOf(client: CallsOfClient, callId: string | undefined): ToolCallState | undefined {
  return callId === undefined ? undefined : client.getToolCallState(callId)
}
