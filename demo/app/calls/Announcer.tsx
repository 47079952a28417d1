import { useEffect, useState } from 'react'
import { useTaskClient } from 'taskwire/react'
import { callStatus } from './callStatus.js'
import { callTitle } from './callTitle.js'

/** Says to screen readers when something starts, asks or ends, and nothing in between. */
export function Announcer() {
  const client = useTaskClient()
  const [message, setMessage] = useState('')
  useEffect(
    () =>
      client.store.subscribe(({ calls }, { calls: before }) => {
        for (const call of Object.values(calls)) {
          const was = before[call.callId]?.phase
          if (was === undefined || was === call.phase) continue
          setMessage(`${callTitle(client, call)}: ${callStatus(call).label}`)
        }
      }),
    [client],
  )
  return (
    <p role="status" className="visually-hidden">
      {message}
    </p>
  )
}
