import type { ToolCall } from '../../core/client/taskClient.js'
import { asError } from '../../core/protocol/asError.js'
import { TaskInputError } from '../../core/protocol/errors.js'
import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import type { InputResponse } from '../../core/protocol/inputRequest.js'
import { isEqual } from '../../core/protocol/isEqual.js'
import { onShown, waitFor } from '../../core/run/handle.js'
import type { CallOnWire } from '../wire/messages.js'
import { type Entry, runOf } from './entries.js'
import type { PageCalls } from './pageCalls.js'
import type { Post } from './requests.js'

export interface HandleContext {
  readonly calls: Pick<PageCalls, 'isCurrent' | 'cancel' | 'refresh' | 'takeAnswer'>
  readonly post: Post
  /** What the news say of a call. */
  readonly newsOf: (callId: string) => CallOnWire | undefined
  readonly subscribe: (callId: string, listener: () => void) => () => void
  /** When the backend was last heard of. */
  readonly heardAt: () => number | undefined
}

/** A handle on a call. `refusal` rejects where this handle must not have the call. */
export function createHandle(
  entry: Entry,
  context: HandleContext,
  { signal, refusal }: { signal?: AbortSignal | undefined; refusal?: Promise<never> } = {},
): ToolCall {
  const { result, detach } = waitFor(entry.outcome, signal)
  refusal?.catch(detach)

  return {
    callId: entry.callId,
    result,
    getState: () => entry.shown,
    nextPollAt: undefined,
    get lastHeardAt() {
      return entry.shown.task && context.heardAt()
    },
    subscribe: (listener) => onShown(entry, (onChange) => context.subscribe(entry.callId, onChange), listener),
    cancel: () => ignoreRejection(context.calls.cancel(entry)),
    detach: () => detach(),
    respond: (inputKey, response) => ignoreRejection(respond(entry, inputKey, response, context)),
  }
}

function respond(
  entry: Entry,
  inputKey: string,
  response: InputResponse,
  { calls, post, newsOf }: HandleContext,
): Promise<void> {
  const { callId } = entry
  const known = entry.responses.get(inputKey)
  if (known?.state.status === 'sending') {
    if (isEqual(known.response, response)) return known.sent
    return Promise.reject(new TaskInputError('Another response to this input request is being sent.', { callId }))
  }
  if (!Object.hasOwn(entry.shown.inputRequests, inputKey))
    return Promise.reject(new TaskInputError('This input request is gone, or was answered.', { callId }))
  if (!calls.isCurrent(entry)) return entry.outcome

  const set = (change: object) => {
    const own = entry.responses.get(inputKey)
    if (own !== undefined) entry.responses.set(inputKey, { ...own, ...change })
    calls.refresh(entry)
  }
  // Another device may make the call again before it gets through, and ask something else under the same input key.
  const run = runOf(entry)
  async function send(): Promise<void> {
    try {
      const onRetry = () => set({ state: { status: 'sending', isRetrying: true } })
      const isElsewhere = !Object.hasOwn(Object(newsOf(callId)?.inputRequests), inputKey)
      const action = { type: 'respond', call: entry.ref, run, inputKey, response } as const
      const answer = await post(action, { onRetry, isElsewhere })
      set({ told: answer })
      calls.takeAnswer(entry, answer)
    } catch (thrown) {
      set({ state: { status: 'rejected', isRetrying: false, error: asError(thrown) } })
      throw thrown
    }
  }
  const sent = send()
  entry.responses.set(inputKey, { response, sent, state: { status: 'sending', isRetrying: false } })
  calls.refresh(entry)
  return sent
}
