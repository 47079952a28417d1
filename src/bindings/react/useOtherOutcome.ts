import { useCallback, useEffect, useRef, useState } from 'react'
import type { TaskClient } from '../../core/client/taskClient.js'
import { keyedCallId } from '../query/keyedCallId.js'
import type { AnyToolCallMutationOptions } from '../query/toolCallMutationOptions.js'
import { type CallOutcome, followOtherOutcome, type OtherOutcome } from '../shared/otherOutcome.js'
import { useLatest } from './useLatest.js'

/**
 * What became of the newest call of a key that the mutation has not made itself, see {@link followOtherOutcome}: undefined
 * where the mutation has made it, or where no call of the key was ever made.
 */
export function useOtherOutcome(
  client: TaskClient,
  options: AnyToolCallMutationOptions,
): Omit<OtherOutcome, 'stop'> & { readonly outcome: CallOutcome | undefined } {
  const [outcome, setOutcome] = useState<CallOutcome>()
  const followed = useRef<OtherOutcome>(undefined)
  const latest = useLatest(options)
  const callId = keyedCallId(client, options)
  useEffect(() => {
    setOutcome(undefined)
    if (callId === undefined) return
    const other = followOtherOutcome(client, callId, latest, setOutcome)
    followed.current = other
    return other.stop
  }, [client, callId, latest])
  const hide = useCallback(() => followed.current?.hide(), [])
  return {
    outcome,
    noteOwn: (ownId) => followed.current?.noteOwn(ownId),
    noteConflict: () => followed.current?.noteConflict(),
    hide,
  }
}
