import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toolCallQueryOptions } from 'taskwire/query'
import { useTaskClient, useToolCall, useToolCallState } from 'taskwire/react'
import { type ReportInput, reportOutput } from '../shared/report.js'
import { callStatus, hasEnded } from './callStatus.js'
import { money } from './numberFormats.js'
import { StatusIcon } from './StatusIcon.js'

const sharedReport = {
  name: 'generate_report',
  key: 'same-key-twice',
  arguments: { title: 'Shared report', seconds: 8, outcome: 'success' } satisfies ReportInput,
  outputSchema: reportOutput,
}

/** Two components that know nothing of each other ask for the same call. */
export function SameKeyTwice() {
  const client = useTaskClient()
  const queryClient = useQueryClient()
  const [isWanted, setIsWanted] = useState(false)
  const call = useToolCallState({ callId: client.toolCallId(sharedReport.name, sharedReport.key) })
  const { queryKey } = toolCallQueryOptions(client, sharedReport)
  // After a reload the call is taken up again, and its components with it.
  const isMounted = isWanted || call !== undefined

  return (
    <section className="panel" aria-labelledby="same-key">
      <h2 id="same-key">Same key, twice</h2>
      <p className="muted">Two components call the same tool with the same key: one call, one poll loop.</p>
      {isMounted && (
        <div className="twins">
          <SharedReport label="Component A" />
          <SharedReport label="Component B" />
        </div>
      )}
      {isMounted ? (
        <button
          type="button"
          className="button"
          disabled={call && !hasEnded(call)}
          onClick={() => void queryClient.refetchQueries({ queryKey })}
        >
          Call again
        </button>
      ) : (
        <button type="button" className="button" onClick={() => setIsWanted(true)}>
          Mount both
        </button>
      )}
    </section>
  )
}

function SharedReport({ label }: { label: string }) {
  const { data, call } = useToolCall(sharedReport)
  const isRunning = call !== undefined && !hasEnded(call)
  const total = data && !data.isError && `Total ${money.format(data.structuredContent.total)}`
  return (
    <div className="twin">
      <h3>{label}</h3>
      {call && (
        <p className="status" data-tone={callStatus(call).tone}>
          <StatusIcon tone={callStatus(call).tone} />
          {callStatus(call).label}
        </p>
      )}
      <p className="muted">{isRunning ? call.task?.statusMessage : total}</p>
    </div>
  )
}
