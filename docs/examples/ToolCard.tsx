import { type DynamicToolUIPart, getToolName, type ToolUIPart } from 'ai'
import type { TaskClient } from 'taskwire'
import {
  isToolStatus,
  respondToToolApproval,
  toolApprovalOf,
} from 'taskwire/ai'
import { useInputRequests } from 'taskwire/react'
import { ElicitationForm } from './forms/ElicitationForm'

/** Shows a tool call in a chat: its progress, its questions, its outcome. */
export function ToolCard({
  part,
  client,
}: {
  part: ToolUIPart | DynamicToolUIPart
  client: TaskClient
}) {
  const name = getToolName(part)
  if (part.state === 'output-error') return <p role="alert">{part.errorText}</p>
  if (part.state !== 'output-available') return <p>{name}: starting…</p>
  if (!isToolStatus(part.output)) return <p>{name}: done</p>
  const { callId, phase, statusMessage, progress, isCancelling } = part.output
  const approval = toolApprovalOf(part.output)
  // Rejects if another tab has answered already. The next status then has no
  // approval.
  const answer = (approved: boolean) =>
    approval &&
    respondToToolApproval(client, { id: approval.id, approved }).catch(() => {})
  return (
    <section aria-label={name}>
      <p>
        {phase === 'input_required'
          ? 'Waiting for your answer.'
          : (statusMessage ?? 'Working…')}
      </p>
      {progress && (
        <progress
          value={progress.total && progress.progress}
          max={progress.total}
        />
      )}
      {approval && (
        <fieldset>
          <legend>{approval.message}</legend>
          <button type="button" onClick={() => answer(true)}>
            Approve
          </button>
          <button type="button" onClick={() => answer(false)}>
            Deny
          </button>
        </fieldset>
      )}
      {phase === 'input_required' && !approval && (
        <ToolForms callId={callId} client={client} />
      )}
      <button
        type="button"
        disabled={isCancelling}
        onClick={() => client.getToolCall(callId)?.cancel()}
      >
        {isCancelling ? 'Cancelling…' : 'Cancel'}
      </button>
    </section>
  )
}

/** The forms that a tool asks for. An approval needs none. */
function ToolForms({ callId, client }: { callId: string; client: TaskClient }) {
  const requests = useInputRequests({ client }).filter(
    (each) =>
      each.callId === callId && each.request.method === 'elicitation/create',
  )
  return requests.map((pending) => (
    <ElicitationForm key={pending.inputKey} {...pending} />
  ))
}
