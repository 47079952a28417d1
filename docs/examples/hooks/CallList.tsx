import { useTaskClient, useToolCalls } from 'taskwire/react'

/**
 * Every call of the client, those of earlier visits and of other tabs included.
 */
export function CallList() {
  const client = useTaskClient()
  const calls = useToolCalls()
  const start = (quarter: string) =>
    client.startToolCall(
      { name: 'generate_report', arguments: { quarter } },
      {
        key: `report-${quarter}`,
        repeat: 'settled',
        meta: { title: `Report of ${quarter}` },
      },
    )
  return (
    <>
      {['Q1', 'Q2', 'Q3'].map((quarter) => (
        <button key={quarter} type="button" onClick={() => start(quarter)}>
          Report of {quarter}
        </button>
      ))}
      <ul>
        {calls.map((call) => (
          <li key={call.callId}>
            {String(call.meta?.['title'] ?? call.name)}:{' '}
            {call.progress?.message ?? call.phase}
          </li>
        ))}
      </ul>
    </>
  )
}
