import type { MutationObserverResult } from '@tanstack/query-core'
import type { TaskClient, ToolCall } from '../../core/client/taskClient.js'
import { asError } from '../../core/protocol/asError.js'
import type { AnyToolCallMutationOptions } from '../query/toolCallMutationOptions.js'
import { toolOutput } from '../query/toolOutput.js'

/** The members of TanStack's mutation result that say what became of a call. */
export type CallOutcome = Pick<
  MutationObserverResult<unknown, Error>,
  'status' | 'data' | 'error' | 'isIdle' | 'isPending' | 'isSuccess' | 'isError'
>

/** The call that the user has dismissed: it is not shown until there is a newer one. This outlives the effect that follows the call. */
export interface HiddenCall {
  callId?: string
  startedAt?: number | undefined
  /** The call that runs and has refused one of the mutation. */
  refusing?: { readonly callId: string; readonly startedAt: number | undefined } | undefined
}

export interface OtherOutcome {
  /** The user wants another call. Whatever comes of that, an error of `onMutate` included, is newer than the outcome on show. */
  noteWanted(wantedId: string | undefined): void
  /** The mutation has made this call: what it knows of it is newer than any other outcome. */
  noteOwn(callId: string): void
  /**
   * A call of the mutation was refused, since one of its key runs. That error is shown until the one that runs ends, and then what
   * became of that.
   */
  noteConflict(): void
  /** Shows nothing of the call until there is a newer one. */
  hide(): void
  stop(): void
}

/** The members of TanStack's result for a call with this status; `found` has those that the status does not say. */
function outcomeOf(
  status: CallOutcome['status'],
  found?: Partial<MutationObserverResult<unknown, Error>>,
): CallOutcome {
  return {
    status,
    data: undefined,
    error: null,
    isIdle: status === 'idle',
    isPending: status === 'pending',
    isSuccess: status === 'success',
    isError: status === 'error',
    ...found,
  }
}

/** A mutation that is pending knows best, also before it has called the tool: it may wait for `onMutate`, or for another of its scope. */
export function shownOutcome(own: CallOutcome, other: CallOutcome | undefined): CallOutcome {
  return other === undefined || own.isPending ? own : other
}

/** The names of what is shown of a call, for what reads them one by one. The values are never shown. */
export const OUTCOME_SHAPE: CallOutcome = /* @__PURE__ */ outcomeOf('pending')

/**
 * What a mutation shows of itself that has called nothing. TanStack resets a mutation whose key has changed, but only after
 * it was shown with the new key: until then this stands in for what became of the call of the key before.
 */
export const UNUSED_MUTATION: CallOutcome = /* @__PURE__ */ outcomeOf('idle', {
  variables: undefined,
  context: undefined,
  failureCount: 0,
  failureReason: null,
  isPaused: false,
  submittedAt: 0,
})

/**
 * Follows what becomes of the newest call of a key that the mutation has not made itself: an earlier visit, another tab or
 * another component has. TanStack's mutation knows its own calls alone; its callbacks are for those and are not called.
 * `onOutcome` is called with undefined where the mutation itself knows best. `hidden` is what `hide()` has hidden so far.
 */
export function followOtherOutcome(
  client: TaskClient,
  callId: string,
  options: () => AnyToolCallMutationOptions,
  onOutcome: (outcome: CallOutcome | undefined) => void,
  hidden: HiddenCall,
): OtherOutcome {
  const { name } = options()
  const handles = new Set<ToolCall>()
  /** When the call was started that is on show: `startedAt` tells calls of one key apart. */
  let shown: number | undefined
  let isCurrent = true
  let isLooking = false
  /** True if the call that is being looked for is hidden already. */
  let hidesFound = false
  /** Counts what was shown: of the same call, an earlier look shows nothing more. */
  let turns = 0

  async function show(call: ToolCall, isEndOnly: boolean): Promise<void> {
    const { startedAt } = call.getState()
    const turn = ++turns
    handles.add(call)
    shown = startedAt
    const set = (next: CallOutcome | undefined) => {
      const isHidden = hidden.callId === callId && hidden.startedAt === startedAt
      if (isCurrent && !isHidden && turn === turns) onOutcome(next)
    }
    // An earlier look may have shown that it runs.
    set(isEndOnly ? undefined : outcomeOf('pending'))
    try {
      set(outcomeOf('success', { data: await toolOutput(await call.result, name, options().outputSchema) }))
    } catch (thrown) {
      set(outcomeOf('error', { error: asError(thrown) }))
    }
  }

  /**
   * Looks by `resumeToolCalls`, whose handles have a call followed, also where the client is lazy. A call without a record is
   * known to this page alone: one that was answered at once, refused, or not sent yet.
   */
  async function look(isEndOnly = false): Promise<void> {
    isLooking = true
    const [call = client.getToolCall(callId)] = await client.resumeToolCalls({ callId })
    isLooking = false
    if (call === undefined) return
    const { startedAt } = call.getState()
    if (isEndOnly && isCurrent) hidden.refusing = { callId, startedAt }
    if (hidesFound) Object.assign(hidden, { callId, startedAt })
    hidesFound = false
    if (isCurrent && (isEndOnly || shown !== startedAt)) void show(call, hidden.refusing?.startedAt === startedAt)
    else call.detach()
    // Another one may have been started meanwhile.
    lookForNewer()
  }

  function lookForNewer(): void {
    const startedAt = client.getToolCallState(callId)?.startedAt
    if (isCurrent && !isLooking && startedAt !== undefined && startedAt !== shown) void look()
  }

  // TanStack resets a mutation whose key has changed.
  if (hidden.refusing?.callId !== callId) hidden.refusing = undefined
  const known = client.getToolCall(callId)
  if (known !== undefined) void show(known, hidden.refusing?.startedAt === known.getState().startedAt)
  void look()
  const unsubscribe = client.subscribeToolCall(callId, () => {
    // A turn later: a mutation that starts a call notes it as its own as soon as it has it.
    void Promise.resolve().then(lookForNewer)
  })
  const stopForgotten = client.onForgotten((isForgotten) => {
    if (!isForgotten(callId)) return
    turns += 1
    shown = undefined
    onOutcome(undefined)
  })
  return {
    noteWanted(wantedId) {
      if (wantedId === callId) onOutcome(undefined)
    },
    noteOwn(ownId) {
      // Of the key before, if it has changed since the user asked for the call.
      if (ownId !== callId) return
      hidesFound = false
      hidden.refusing = undefined
      turns += 1
      shown = client.getToolCallState(ownId)?.startedAt
      onOutcome(undefined)
    },
    noteConflict() {
      hidden.startedAt = undefined
      void look(true)
    },
    hide() {
      Object.assign(hidden, { callId, startedAt: shown })
      hidesFound = isLooking
      onOutcome(undefined)
    },
    stop() {
      isCurrent = false
      unsubscribe()
      stopForgotten()
      for (const call of handles) call.detach()
    },
  }
}
