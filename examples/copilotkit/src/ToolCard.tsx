import type { ReactToolCallRenderer } from '@copilotkit/react-core/v2'
import type { ToolCallState } from 'taskwire'
import {
  useInputRequests,
  useTaskClient,
  useToolCallState,
} from 'taskwire/react'
import { Question } from './Question'

/**
 * A tool call in the thread. While the tool runs, the card shows only what the
 * store of the task client has.
 */
export const ToolCard: ReactToolCallRenderer<
  Record<string, unknown>
>['render'] = ({ name, toolCallId, args }) => {
  const client = useTaskClient()
  // A call is known by the id that the agent has given it.
  const callId = client.toolCallId(name, toolCallId)
  const call = useToolCallState({ callId })
  const requests = useInputRequests().filter(
    (pending) =>
      pending.callId === callId &&
      pending.request.method === 'elicitation/create',
  )
  const isRunning = call !== undefined && call.endedAt === undefined

  return (
    <section className="card" aria-label={name}>
      <p>
        {name} {String(args['quarter'] ?? '')}
      </p>
      {isRunning && (
        <>
          <progress
            aria-label="Progress of the report"
            value={call.progress?.total && call.progress.progress}
            max={call.progress?.total}
          />
          <p>{newsOf(call)}</p>
          <button
            type="button"
            disabled={call.isCancelling}
            onClick={() => void client.getToolCall(callId)?.cancel()}
          >
            Cancel
          </button>
        </>
      )}
      {requests.map((pending) => (
        <Question key={pending.inputKey} {...pending} />
      ))}
    </section>
  )
}

function newsOf({ network, phase, progress }: ToolCallState) {
  if (network !== 'ok') return 'Reconnecting…'
  if (phase === 'input_required') return 'Waiting for your answer.'
  return progress?.message ?? 'Starting…'
}
