import type { ToolCallState } from 'taskwire'
import { useTaskClient } from 'taskwire/react'
import { callStatus, hasEnded } from '../callStatus.js'
import { StatusIcon } from '../StatusIcon.js'
import { toolTitle } from './askingTools.js'

/** One call of a tool that asks: what it is at, what it said, and a way to end or dismiss it. */
export function AskingCall({ call }: { call: ToolCallState }) {
  const client = useTaskClient()
  const { label, tone } = callStatus(call)
  const title = toolTitle(call.name)
  const said = call.result?.content.find((block) => block.type === 'text')?.text
  const isOver = hasEnded(call)

  return (
    <li className="asking-call" data-phase={call.phase} data-testid="asking-call">
      <span className="status" data-tone={tone}>
        <StatusIcon tone={tone} />
        {label}
      </span>
      <span>
        {title}
        <span className="muted"> {said ?? call.error?.message ?? call.task?.statusMessage}</span>
      </span>
      <button
        type="button"
        className="button quiet"
        aria-label={`${isOver ? 'Dismiss' : 'Cancel'} ${title}`}
        disabled={call.isCancelling}
        onClick={() => {
          if (isOver) void client.forget({ callId: call.callId })
          // A cancellation that does not get through is `lastError` of the call.
          else
            client
              .getToolCall(call.callId)
              ?.cancel()
              .catch(() => {})
        }}
      >
        {isOver ? 'Dismiss' : 'Cancel'}
      </button>
    </li>
  )
}
