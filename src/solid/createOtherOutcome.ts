import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js'
import { type CallOutcome, followOtherOutcome, type OtherOutcome } from '../bindings/otherOutcome.js'
import type { TaskClient } from '../client/taskClient.js'
import type { AnyToolCallMutationOptions } from '../query/toolCallMutationOptions.js'

/**
 * What became of the newest call of a key that the mutation has not made itself, see {@link followOtherOutcome}. On a
 * server effects do not run.
 */
export function createOtherOutcome(
  client: Accessor<TaskClient>,
  callId: Accessor<string | undefined>,
  options: Accessor<AnyToolCallMutationOptions>,
): Pick<OtherOutcome, 'noteOwn'> & { readonly outcome: Accessor<CallOutcome | undefined> } {
  const [outcome, setOutcome] = createSignal<CallOutcome>()
  let other: OtherOutcome | undefined
  createEffect(
    on([client, callId], ([from, id]) => {
      setOutcome(undefined)
      if (id === undefined) return
      const followed = followOtherOutcome(from, id, {
        name: options().name,
        schema: () => options().outputSchema,
        onOutcome: (next) => void setOutcome(() => next),
      })
      other = followed
      onCleanup(() => {
        other = undefined
        followed.stop()
      })
    }),
  )
  return { outcome, noteOwn: (ownId) => other?.noteOwn(ownId) }
}
