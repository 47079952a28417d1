import { useTaskConnection, useToolCalls } from 'taskwire/react'
import { useOnline } from './useOnline.js'

/** Who is at the other end, and whether it can be reached right now. */
export function ConnectionBadge() {
  const { status, server, era, protocolVersion, tasks } = useTaskConnection()
  const isRetrying = useToolCalls({ filter: (call) => call.network === 'retrying' }).length > 0
  const isOnline = useOnline()

  const health = !isOnline
    ? { tone: 'warning', text: 'Offline' }
    : isRetrying
      ? { tone: 'warning', text: 'Reconnecting' }
      : { tone: TONES[status], text: TEXTS[status] }

  return (
    <div className="connection">
      <span className="health" data-tone={health.tone} role="status">
        <span className="dot" aria-hidden="true" />
        {health.text}
      </span>
      {server && (
        <ul className="facts" aria-label="Server">
          <li>
            {server.name} <span className="server-version">{server.version}</span>
          </li>
          <li>
            MCP {protocolVersion} ({era})
          </li>
          <li>{tasks ? 'Tasks' : 'No tasks'}</li>
        </ul>
      )}
    </div>
  )
}

const TEXTS = {
  idle: 'Not connected',
  connecting: 'Connecting',
  unauthorized: 'Sign-in needed',
  connected: 'Connected',
  failed: 'No connection',
  closed: 'Closed',
}

const TONES = {
  idle: 'neutral',
  connecting: 'neutral',
  unauthorized: 'warning',
  connected: 'success',
  failed: 'danger',
  closed: 'neutral',
}
