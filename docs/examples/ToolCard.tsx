import { type DynamicToolUIPart, getToolName, type ToolUIPart } from 'ai'
import type { TaskClient } from 'taskwire'
import { isToolStatus, respondToToolApproval, toolApprovalOf } from 'taskwire/ai'

/** A tool call in a chat: how far it is, what it asks, and how it ended. */
export function ToolCard({ part, client }: { part: ToolUIPart | DynamicToolUIPart; client: TaskClient }) {
  const name = getToolName(part)
  if (part.state === 'output-error') return <p role="alert">{part.errorText}</p>
  if (part.state !== 'output-available') return <p>{name}: starting…</p>
  if (!isToolStatus(part.output)) return <p>{name}: done</p>
  const { callId, statusMessage, progress, isCancelling } = part.output
  const approval = toolApprovalOf(part.output)
  // It rejects where another tab has answered already; then the next status asks no more.
  const answer = (approved: boolean) =>
    approval && respondToToolApproval(client, { id: approval.id, approved }).catch(() => {})
  return (
    <section aria-label={name}>
      <p>{statusMessage ?? 'Working…'}</p>
      {progress && <progress value={progress.progress} max={progress.total} />}
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
      <button type="button" disabled={isCancelling} onClick={() => client.getToolCall(callId)?.cancel()}>
        {isCancelling ? 'Cancelling…' : 'Cancel'}
      </button>
    </section>
  )
}
