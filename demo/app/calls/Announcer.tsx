import { useEffect, useState } from 'react'
import { useTaskClient } from 'taskwire/react'
import { callStatus } from './callStatus.js'
import { callTitle } from './callTitle.js'

/** Says to screen readers when something starts, asks or ends, and nothing in between. */
export function Announcer() {
  const client = useTaskClient()
  const [said, setSaid] = useState<{ readonly callId: string; readonly message: string }>()
  useEffect(
    () =>
      client.store.subscribe(({ calls }, { calls: before }) => {
        // What was said of a call is forgotten with it.
        setSaid((said) => (said && calls[said.callId] ? said : undefined))
        for (const call of Object.values(calls)) {
          const { callId } = call
          const was = before[callId]?.phase
          if (was === undefined || was === call.phase) continue
          setSaid({ callId, message: `${callTitle(client, call)}: ${callStatus(call).label}` })
        }
      }),
    [client],
  )
  return (
    <p role="status" className="visually-hidden">
      {said?.message}
    </p>
  )
}
