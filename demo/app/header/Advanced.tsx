import { useRef } from 'react'
import { useTaskConnection } from 'taskwire/react'
import { addressWith, hasLegacy, isLegacy, isLite, isPushed, otherWay } from '../switches.js'

/** What the server is, and the same page over another server, another client, or push. */
export function Advanced() {
  const { server, era, protocolVersion, tasks } = useTaskConnection()
  const details = useRef<HTMLDetailsElement>(null)
  const close = (event: React.KeyboardEvent) => {
    if (event.key !== 'Escape' || details.current?.open !== true) return
    details.current.open = false
    details.current.querySelector('summary')?.focus()
  }
  return (
    <details className="advanced" ref={details} onKeyDown={close}>
      <summary>Advanced</summary>
      <div className="popover">
        {server && (
          <p className="muted">
            {server.name} {server.version}, MCP {protocolVersion} ({era}), {tasks ? 'with tasks' : 'without tasks'}
          </p>
        )}
        <ul>
          {!isLegacy && (
            <li>
              <a href={otherWay()}>{isPushed ? 'Poll instead' : 'Let the server push'}</a>
            </li>
          )}
          {hasLegacy && (
            <li>
              <a href={addressWith('server', isLegacy ? undefined : 'legacy')}>
                Server of {isLegacy ? '2026-07-28' : '2025-11-25'}
              </a>
            </li>
          )}
          <li>
            <a href={addressWith('lite', isLite ? undefined : '')}>{isLite ? 'With the SDK' : 'With taskwire/lite'}</a>
          </li>
        </ul>
      </div>
    </details>
  )
}
