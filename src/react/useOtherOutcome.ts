import { useEffect, useRef, useState } from 'react'
import { type CallOutcome, followOtherOutcome, type OtherOutcome } from '../bindings/otherOutcome.js'
import type { TaskClient } from '../client/taskClient.js'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'

/**
 * What became of the newest call of a key that the mutation has not made itself, see {@link followOtherOutcome}: undefined
 * where the mutation has made it, or where no call of the key was ever made.
 */
export function useOtherOutcome(
  client: TaskClient,
  name: string,
  key: string | undefined,
  outputSchema: StandardSchemaV1 | undefined,
): Pick<OtherOutcome, 'noteOwn'> & { readonly outcome: CallOutcome | undefined } {
  const [outcome, setOutcome] = useState<CallOutcome>()
  const followed = useRef<OtherOutcome>(undefined)
  const schema = useRef(outputSchema)
  schema.current = outputSchema
  useEffect(() => {
    setOutcome(undefined)
    if (key === undefined) return
    const callId = client.toolCallId(name, key)
    const other = followOtherOutcome(client, callId, { name, schema: () => schema.current, onOutcome: setOutcome })
    followed.current = other
    return () => {
      followed.current = undefined
      other.stop()
    }
  }, [client, name, key])
  return { outcome, noteOwn: (callId) => followed.current?.noteOwn(callId) }
}
