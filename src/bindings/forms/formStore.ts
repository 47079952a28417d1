import { TaskUnreachableError } from '../../core/protocol/errors.js'
import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import type { ElicitationForm, ElicitationFormState, ElicitationSource } from './elicitationForm.js'
import { type FormFacts, showForm } from './showForm.js'

/** What the form itself knows; the rest is what the call says. */
export type OwnFacts = Omit<FormFacts, 'isListed' | 'isUnreachable' | 'response'>

/** What follows an input request for its draft. One for each, however many forms of it there have been. */
const followers = new WeakMap<InputRequest, () => void>()

/** The state of a form: what it knows itself, and what the call says of its input request. */
export interface FormStore extends Pick<ElicitationForm, 'getState' | 'subscribe'> {
  /** Follows the input request from now on, also without listeners. It takes the place of a form that did before. */
  follow(): void
  /** Ends what `follow()` has begun in this form. */
  unfollow(): void
  facts(): FormFacts
  /** Shows what has changed, and calls the listeners where it shows. */
  update(change?: Partial<OwnFacts>): void
}

/** `onGone` is called with the listeners when no answer is needed any longer, so not without listeners. */
export function createFormStore(
  { client, callId, inputKey }: ElicitationSource,
  start: OwnFacts,
  onGone: () => void,
): FormStore {
  const listeners = new Set<Parameters<FormStore['subscribe']>[0]>()
  let own = start
  let call = client.getToolCallState(callId)
  // As the store has it: a framework may have wrapped the request that it was given.
  const listed = requestOf(call, inputKey)
  let state = showForm(facts())
  /** What the listeners have seen. */
  let announced = state
  let isGone = false
  let stop: (() => void) | undefined
  let following: (() => void) | undefined

  function facts(): FormFacts {
    const responses = call?.inputResponses ?? {}
    const response = Object.hasOwn(responses, inputKey) ? responses[inputKey] : undefined
    const failure = response?.status === 'rejected' ? response.error : own.failure
    const isListed = listed !== undefined && requestOf(call, inputKey) === listed
    return { ...own, isListed, isUnreachable: call?.error instanceof TaskUnreachableError, response, failure }
  }

  function getState(): ElicitationFormState {
    const now = client.getToolCallState(callId)
    if (now !== call) {
      call = now
      state = showForm(facts(), state)
    }
    return state
  }

  /** Calls the listeners if something has changed. */
  function announce(): void {
    const previous = announced
    announced = getState()
    noteGone()
    if (announced === previous) return
    for (const listener of [...listeners]) {
      try {
        listener(announced, previous)
      } catch (error) {
        // It must not stop the other listeners or the answer, so it is reported as an uncaught error.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }

  /** Says once that no answer is needed any longer: another form may show the same question later on. */
  function noteGone(): void {
    const wasGone = isGone
    isGone = announced.status === 'gone' && (isGone || !isEnding(call))
    // A client that is closed knows of no calls, and one that has given the server up ends them: they go on.
    const isClosed = call === undefined && client.store.getState().connection.status === 'closed'
    if (isGone && !wasGone && !isClosed && !facts().isUnreachable) onGone()
  }

  const subscribe: FormStore['subscribe'] = (listener) => {
    if (listeners.size === 0) {
      announced = getState()
      stop = client.subscribeToolCall(callId, announce)
    }
    listeners.add(listener)
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) stop?.()
    }
  }

  return {
    getState,
    facts,
    subscribe,
    follow: () => {
      if (listed === undefined) return
      const before = followers.get(listed)
      following = subscribe(() => {})
      followers.set(listed, following)
      before?.()
    },
    unfollow: () => following?.(),
    update: (change) => {
      own = { ...own, ...change }
      call = client.getToolCallState(callId)
      state = showForm(facts(), state)
      announce()
    },
  }
}

/** True while the call waits for input but lists no input request: its next state says whether it has failed. */
function isEnding(call: ToolCallState | undefined): boolean {
  return call?.phase === 'input_required' && Object.keys(call.inputRequests).length === 0
}

/** The input request; its key was chosen by the server. */
function requestOf(call: ToolCallState | undefined, inputKey: string) {
  return call !== undefined && Object.hasOwn(call.inputRequests, inputKey) ? call.inputRequests[inputKey] : undefined
}
