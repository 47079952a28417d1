import { useTaskConnection, useToolCalls } from 'taskwire/react'
import { useOnline } from './useOnline.js'

/** Whether the server can be reached right now. */
export function ConnectionBadge() {
  const { status } = useTaskConnection()
  const isRetrying = useToolCalls({ filter: (call) => call.network === 'retrying' }).length > 0
  const isOnline = useOnline()

  const [tone, text] = !isOnline
    ? ['warning', 'Offline']
    : isRetrying
      ? ['warning', 'Reconnecting']
      : [TONES[status], TEXTS[status]]

  return (
    <span className="health" data-tone={tone} role="status">
      <span className="dot" aria-hidden="true" />
      {text}
    </span>
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
