import type { ToolCall } from '../../core/client/taskClient.js'
import { asError } from '../../core/protocol/asError.js'
import { TaskInputError } from '../../core/protocol/errors.js'
import type { InputResponse } from '../../core/protocol/inputRequest.js'
import { isEqual } from '../../core/protocol/isEqual.js'
import { onShown, waitFor } from '../../core/run/handle.js'
import type { Entry } from './entries.js'
import type { PageCalls } from './pageCalls.js'
import type { Post } from './requests.js'

export interface HandleContext {
  readonly calls: Pick<PageCalls, 'refresh' | 'takeAnswer'>
  readonly post: Post
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
    cancel: () => cancel(entry, context),
    detach: () => detach(),
    respond: (inputKey, response) => respond(entry, inputKey, response, context),
  }
}

function cancel(entry: Entry, { calls, post }: HandleContext): Promise<void> {
  if (entry.isOver) return Promise.resolve()
  if (entry.cancel !== undefined) return entry.cancel.sent
  const set = (change: object) => {
    if (entry.cancel === undefined) return
    entry.cancel = { ...entry.cancel, ...change }
    calls.refresh(entry)
  }
  async function send(): Promise<void> {
    await entry.started
    if (entry.isOver) return
    try {
      const answer = await post({ type: 'cancel', call: entry.ref }, () => set({ isRetrying: true }))
      set({ told: answer })
      calls.takeAnswer(entry, answer)
    } catch (error) {
      entry.cancel = undefined
      calls.refresh(entry)
      throw error
    }
  }
  const sent = send()
  entry.cancel = { isRetrying: false, sent }
  calls.refresh(entry)
  return sent
}

function respond(
  entry: Entry,
  inputKey: string,
  response: InputResponse,
  { calls, post }: HandleContext,
): Promise<void> {
  const { callId } = entry
  const known = entry.responses.get(inputKey)
  if (known?.state.status === 'sending') {
    if (isEqual(known.response, response)) return known.sent
    return Promise.reject(new TaskInputError('Another response to this input request is being sent.', { callId }))
  }
  if (!Object.hasOwn(entry.shown.inputRequests, inputKey))
    return Promise.reject(new TaskInputError('This input request is gone, or was answered.', { callId }))

  const set = (change: object) => {
    const own = entry.responses.get(inputKey)
    if (own !== undefined) entry.responses.set(inputKey, { ...own, ...change })
    calls.refresh(entry)
  }
  async function send(): Promise<void> {
    try {
      const answer = await post({ type: 'respond', call: entry.ref, inputKey, response }, () =>
        set({ state: { status: 'sending', isRetrying: true } }),
      )
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
