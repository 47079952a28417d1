import { useToolCalls } from 'taskwire/react'
import { CallProgress } from './CallProgress'

/** All calls of this server, those of earlier visits included. */
export function Reports() {
  const calls = useToolCalls({
    filter: ({ name }) => name === 'generate_report',
  })
  return (
    <ul>
      {calls.map((call) => (
        <li key={call.callId}>
          {call.meta?.['title'] ? String(call.meta['title']) : call.name},
          started at {new Date(call.startedAt).toLocaleTimeString()}:{' '}
          {call.phase}
          <CallProgress call={call} />
        </li>
      ))}
    </ul>
  )
}
