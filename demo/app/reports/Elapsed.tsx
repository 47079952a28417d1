import { isTerminal, type ToolCallState } from 'taskwire'
import { hasEnded } from '../callStatus.js'
import { useNow } from '../useNow.js'

interface ElapsedProps {
  call: ToolCallState
  /** How long the report was asked to take. */
  seconds: number | undefined
}

/** How long a report has been running, and, at its end, how long it took the server. */
export function Elapsed({ call, seconds }: ElapsedProps) {
  const isOver = hasEnded(call)
  const now = useNow(1000, !isOver)
  if (isOver) {
    const isKnown = call.task !== undefined && isTerminal(call.task.status)
    return <span className="elapsed">{isKnown && clock(serverDuration(call.task))}</span>
  }
  return (
    <span className="elapsed">
      {clock(Math.max(0, now - call.startedAt))}
      {seconds !== undefined && <span className="muted"> / {clock(seconds * 1000)}</span>}
    </span>
  )
}

function serverDuration(task: { createdAt: string; lastUpdatedAt: string }): number {
  return Date.parse(task.lastUpdatedAt) - Date.parse(task.createdAt)
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
