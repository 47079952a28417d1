import type { TaskClient } from '../client/taskClient.js'
import type { ToolCallState } from '../engine/toolCallState.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import type { Task } from '../protocol/task.js'

/** What the hooks add to TanStack's result: the call, and what can be done with it. */
export interface ToolCallControls {
  /** The call as the store has it; undefined until it is made. */
  call: ToolCallState | undefined
  /** The newest snapshot of its task. */
  task: Task | undefined
  /** The questions still to be answered, by key. */
  inputRequests: Readonly<Record<string, InputRequest>>
  /** Asks the server to stop the work. Without a call it does nothing. */
  cancel: () => Promise<void>
  /** Answers a question of the task. */
  respond: (inputKey: string, response: InputResponse) => Promise<void>
  /** From `cancel()` until the server's truth arrives. */
  isCancelling: boolean
}

const NO_REQUESTS: Readonly<Record<string, InputRequest>> = {}

export function toolCallControls(client: TaskClient, call: ToolCallState | undefined): ToolCallControls {
  const handle = () => (call === undefined ? undefined : client.getToolCall(call.callId))
  return {
    call,
    task: call?.task,
    inputRequests: call?.inputRequests ?? NO_REQUESTS,
    isCancelling: call?.isCancelling ?? false,
    cancel: async () => handle()?.cancel(),
    respond: async (inputKey, response) => handle()?.respond(inputKey, response),
  }
}
