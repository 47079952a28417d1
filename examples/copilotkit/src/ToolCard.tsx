import type { ReactToolCallRenderer } from '@copilotkit/react-core/v2'
import { useInputRequests, useTaskClient, useToolCallState } from 'taskwire/react'

/** A tool call in the thread. All that it shows while the tool is at work comes from the store of the task client. */
export const ToolCard: ReactToolCallRenderer<Record<string, unknown>>['render'] = ({ name, toolCallId, args }) => {
  const client = useTaskClient()
  // A call is known by the id that the agent has given it.
  const callId = client.toolCallId(name, toolCallId)
  const call = useToolCallState({ callId })
  const requests = useInputRequests().filter((request) => request.callId === callId)
  const isRunning = call !== undefined && call.endedAt === undefined

  return (
    <section className="card" aria-label={name}>
      <p>
        {name} {String(args['quarter'] ?? '')}
      </p>
      {isRunning && (
        <>
          <progress aria-label="Progress of the report" value={call.progress?.progress} max={call.progress?.total} />
          <p>{call.network === 'ok' ? (call.progress?.message ?? 'Starting…') : 'Reconnecting…'}</p>
          <button type="button" disabled={call.isCancelling} onClick={() => void client.getToolCall(callId)?.cancel()}>
            Cancel
          </button>
        </>
      )}
      {requests.map(({ inputKey, request, respond }) => (
        <fieldset key={inputKey}>
          <legend>
            {request.method === 'elicitation/create' ? request.params.message : 'The tool asks for more.'}
          </legend>
          <button type="button" onClick={() => respond({ action: 'accept', content: {} })}>
            Approve
          </button>
          <button type="button" onClick={() => respond({ action: 'decline' })}>
            Decline
          </button>
        </fieldset>
      ))}
    </section>
  )
}
