import { useEffect, useState } from 'react'
import { useTaskClient } from 'taskwire/react'
import { callStatus } from './callStatus.js'
import { reportTitle } from './reports/savedReport.js'

/** Says to screen readers when a report starts or ends, and nothing in between. */
export function Announcer() {
  const client = useTaskClient()
  const [message, setMessage] = useState('')
  useEffect(
    () =>
      client.store.subscribe(({ calls }, { calls: before }) => {
        for (const call of Object.values(calls)) {
          const was = before[call.callId]?.phase
          if (was === undefined || was === call.phase || call.phase === 'input_required') continue
          setMessage(`${reportTitle(call)}: ${callStatus(call).label}`)
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
