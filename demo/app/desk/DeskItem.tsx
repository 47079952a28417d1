import { useTaskClient, useToolCallMutation } from 'taskwire/react'
import { CallStatusLabel } from '../calls/CallStatusLabel.js'
import { hasEnded } from '../calls/callStatus.js'
import { cancelNote } from '../calls/cancelNote.js'
import { networkNote } from '../calls/networkNote.js'
import { Problem } from '../calls/Problem.js'
import type { DeskTool } from './deskTools.js'

/** One thing that the studio does: a button, what it is at, what it said, and a way to end or clear it. */
export function DeskItem({ tool: { name, title, about, action } }: { tool: DeskTool }) {
  const client = useTaskClient()
  const { call, mutate, cancel } = useToolCallMutation({ name, key: 'desk', meta: { title } })
  const isAtWork = call !== undefined && !hasEnded(call)
  const said = call?.result?.isError ? undefined : call?.result?.content.find((block) => block.type === 'text')?.text
  const doing = call?.phase === 'input_required' ? 'Waits for you in the inbox.' : call?.task?.statusMessage
  const start = () =>
    mutate(name === 'link_festival' ? { origin: new URL(import.meta.env.BASE_URL, location.href).href } : {})

  return (
    <li className="desk-item" data-phase={call?.phase} data-testid="desk-item">
      <button type="button" className="button" aria-label={title} aria-disabled={isAtWork} onClick={start}>
        {action}
      </button>
      <div className="desk-text">
        <h3>
          {title} {call && <CallStatusLabel call={call} />}
        </h3>
        {call?.error || call?.result?.isError ? (
          <Problem call={call} />
        ) : (
          <p className="muted">{(call && networkNote(call)) ?? (call && cancelNote(call)) ?? said ?? doing ?? about}</p>
        )}
      </div>
      {call && (
        <button
          type="button"
          className="button quiet"
          aria-label={`${isAtWork ? 'Cancel' : 'Clear'}: ${title}`}
          disabled={call.isCancelling}
          onClick={(event) => {
            if (isAtWork) return void cancel()
            // The button that had the focus is gone.
            event.currentTarget.parentElement?.querySelector('button')?.focus()
            void client.forget({ callId: call.callId })
          }}
        >
          {isAtWork ? 'Cancel' : 'Clear'}
        </button>
      )}
    </li>
  )
}
