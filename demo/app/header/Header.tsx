import { useToolCalls } from 'taskwire/react'
import { hasEnded } from '../calls/callStatus.js'
import { Advanced } from './Advanced.js'
import { ConnectionBadge } from './ConnectionBadge.js'

export function Header() {
  const atWork = useToolCalls({ filter: (call) => !hasEnded(call) }).length
  return (
    <header className="page-header">
      <title>{atWork > 0 ? `(${atWork}) Northlight Studio` : 'Northlight Studio'}</title>
      <p className="wordmark">
        <img src={`${import.meta.env.BASE_URL}favicon.svg`} alt="" width="24" height="24" />
        <span>
          Northlight <span className="roomy">Studio</span>
        </span>
        <span className="muted roomy">a demo of Taskwire</span>
      </p>
      <ConnectionBadge />
      <Advanced />
    </header>
  )
}
