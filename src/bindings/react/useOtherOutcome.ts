import { useCallback, useEffect, useRef, useState } from 'react'
import type { TaskClient } from '../../core/client/taskClient.js'
import { keyedCallId } from '../query/keyedCallId.js'
import type { AnyToolCallMutationOptions } from '../query/toolCallMutationOptions.js'
import { type CallOutcome, followOtherOutcome, type HiddenCall, type OtherOutcome } from '../shared/otherOutcome.js'
import { useLatest } from './useLatest.js'

/**
 * What became of the newest call of a key that the mutation has not made itself, see {@link followOtherOutcome}: undefined
 * where the mutation has made it, or where no call of the key was ever made. `isKeyNew` is true until TanStack's mutation
 * knows of a key that has changed: effects tell it, and what it has until then is of the key before.
 */
export function useOtherOutcome(
  client: TaskClient,
  options: AnyToolCallMutationOptions,
): Omit<OtherOutcome, 'stop'> & { readonly outcome: CallOutcome | undefined; readonly isKeyNew: boolean } {
  const callId = keyedCallId(client, options)
  const [found, setFound] = useState<{ callId: string | undefined; outcome?: CallOutcome | undefined }>({ callId })
  const followed = useRef<OtherOutcome>(undefined)
  // React stops the effects of a hidden <Activity>, and runs them again when it is shown.
  const hidden = useRef<HiddenCall>({}).current
  const latest = useLatest(options)
  useEffect(() => {
    const show = (outcome?: CallOutcome) =>
      setFound((before) => (before.callId === callId && before.outcome === outcome ? before : { callId, outcome }))
    show()
    if (callId === undefined) return
    const other = followOtherOutcome(client, callId, latest, show, hidden)
    followed.current = other
    return other.stop
  }, [client, callId, latest, hidden])
  const hide = useCallback(() => followed.current?.hide(), [])
  const isFound = found.callId === callId
  return {
    outcome: isFound ? found.outcome : undefined,
    isKeyNew: callId !== undefined && !isFound,
    noteWanted: (wantedId) => followed.current?.noteWanted(wantedId),
    noteOwn: (ownId) => followed.current?.noteOwn(ownId),
    noteConflict: () => followed.current?.noteConflict(),
    hide,
  }
}
