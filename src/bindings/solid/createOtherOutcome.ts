import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { AnyToolCallMutationOptions } from '../query/toolCallMutationOptions.js'
import { type CallOutcome, followOtherOutcome, type HiddenCall, type OtherOutcome } from '../shared/otherOutcome.js'

/**
 * What became of the newest call of a key that the mutation has not made itself, see {@link followOtherOutcome}. On a
 * server effects do not run.
 */
export function createOtherOutcome(
  client: Accessor<TaskClient>,
  callId: Accessor<string | undefined>,
  options: Accessor<AnyToolCallMutationOptions>,
): Omit<OtherOutcome, 'stop'> & { readonly outcome: Accessor<CallOutcome | undefined> } {
  const [outcome, setOutcome] = createSignal<CallOutcome>()
  let outcomeId: string | undefined
  let other: OtherOutcome | undefined
  const hidden: HiddenCall = {}
  createEffect(
    on([client, callId], ([from, id]) => {
      outcomeId = id
      setOutcome(undefined)
      if (id === undefined) return
      other = followOtherOutcome(from, id, options, (next) => void setOutcome(() => next), hidden)
      onCleanup(other.stop)
    }),
  )
  return {
    outcome: () => {
      const found = outcome()
      // Effects run later than what shows the call of the next key.
      return outcomeId === callId() ? found : undefined
    },
    noteWanted: (wantedId) => other?.noteWanted(wantedId),
    noteOwn: (ownId) => other?.noteOwn(ownId),
    noteConflict: () => other?.noteConflict(),
    hide: () => other?.hide(),
  }
}
