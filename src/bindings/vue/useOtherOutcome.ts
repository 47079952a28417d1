import { type ShallowRef, shallowRef, watch } from 'vue'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { AnyToolCallMutationOptions } from '../query/toolCallMutationOptions.js'
import { type CallOutcome, followOtherOutcome, type HiddenCall, type OtherOutcome } from '../shared/otherOutcome.js'
import { isServer } from './vueQuery.js'

/** What became of the newest call of a key that the mutation has not made itself, see {@link followOtherOutcome}. */
export function useOtherOutcome(
  client: () => TaskClient,
  callId: () => string | undefined,
  options: () => AnyToolCallMutationOptions,
): Omit<OtherOutcome, 'stop'> & {
  readonly outcome: Readonly<ShallowRef<CallOutcome | undefined>>
} {
  const outcome = shallowRef<CallOutcome>()
  let other: OtherOutcome | undefined
  const hidden: HiddenCall = {}
  if (!isServer) {
    watch(
      [client, callId],
      ([current, id], _before, onCleanup) => {
        outcome.value = undefined
        if (id === undefined) return
        const show = (next?: CallOutcome) => {
          outcome.value = next
        }
        other = followOtherOutcome(current, id, options, show, hidden)
        onCleanup(other.stop)
      },
      { immediate: true, flush: 'sync' },
    )
  }
  return {
    outcome,
    noteWanted: (wantedId) => other?.noteWanted(wantedId),
    noteOwn: (ownId) => other?.noteOwn(ownId),
    noteConflict: () => other?.noteConflict(),
    hide: () => other?.hide(),
  }
}
