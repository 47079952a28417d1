import type { TaskClient } from '../../core/client/taskClient.js'
import type { AnyToolCallMutationOptions } from '../query/toolCallMutationOptions.js'
import { type CallOutcome, followOtherOutcome, type HiddenCall, type OtherOutcome } from '../shared/otherOutcome.js'
import { createReader } from './reactive.js'

/**
 * What became of the newest call of a key that the mutation has not made itself, see {@link followOtherOutcome}. It is
 * followed while something reads it.
 */
export function otherOutcome(
  client: () => TaskClient,
  callId: () => string | undefined,
  options: () => AnyToolCallMutationOptions,
): Omit<OtherOutcome, 'stop'> & { readonly outcome: CallOutcome | undefined } {
  let outcome: CallOutcome | undefined
  let other: OtherOutcome | undefined
  const hidden: HiddenCall = {}
  const subscribe = (listener: () => void, from: TaskClient, id: string | undefined) => {
    outcome = undefined
    if (id === undefined) return () => {}
    const show = (next?: CallOutcome) => {
      outcome = next
      listener()
    }
    other = followOtherOutcome(from, id, options, show, hidden)
    return other.stop
  }
  const read = createReader(subscribe, () => outcome)
  return {
    get outcome() {
      return read(client(), callId())
    },
    noteWanted: (wantedId) => other?.noteWanted(wantedId),
    noteOwn: (ownId) => other?.noteOwn(ownId),
    noteConflict: () => other?.noteConflict(),
    hide: () => other?.hide(),
  }
}
