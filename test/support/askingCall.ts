import type { InputRequest, InputResponse, ToolCallState } from 'taskwire'
import type { ElicitationSource } from 'taskwire/forms'
import { vi } from 'vitest'

type JsonObject = Record<string, unknown>

/** An elicitation by a form with this schema. */
export const formRequest = (requestedSchema: JsonObject): InputRequest => ({
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Deploy it?', requestedSchema },
})

/** An elicitation by a page. */
export const urlRequest = (url: string): InputRequest => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign in there', url },
})

/** A call that asks this, and what has been sent to it. */
export function callThatAsks(
  request: InputRequest,
  respond = vi.fn(async (_inputKey: string, _response: InputResponse): Promise<void> => {}),
) {
  let call = {
    callId: 'call',
    name: 'link_account',
    inputRequests: { key: request },
    inputResponses: {},
  } as unknown as ToolCallState
  const listeners = new Set<() => void>()
  const client = {
    getToolCall: () => ({ respond }),
    getToolCallState: () => call,
    subscribeToolCall: (_callId: string, listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return {
    source: { client: client as unknown as ElicitationSource['client'], callId: 'call', inputKey: 'key', request },
    respond,
    sent: () => respond.mock.calls.map(([, response]) => response),
    listeners,
    change: (next: Partial<ToolCallState>) => {
      call = { ...call, ...next } as ToolCallState
      for (const listener of [...listeners]) listener()
    },
  }
}
