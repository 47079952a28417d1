import type { WebAddress as Address } from 'taskwire/forms'

interface WebAddressProps {
  readonly address: Address
  readonly warnings: readonly string[]
  /** Handles its `click` and `auxclick` events. */
  readonly onOpen: (event: { readonly button: number }) => void
}

/**
 * Where a server wants the user to go, in full and before anything is opened. The host stands out: user names and paths
 * may be made to look like one. A click is the user's consent, and opens a tab that cannot reach this one.
 */
export function WebAddress({ address, warnings, onOpen }: WebAddressProps) {
  return (
    <div>
      <p className="muted">Open this page in a new tab, if you trust it:</p>
      <a
        className="web-address"
        href={address.href}
        target="_blank"
        rel="noopener noreferrer"
        onClick={onOpen}
        onAuxClick={onOpen}
      >
        {address.before}
        <strong>{address.host}</strong>
        {address.after}
      </a>
      {warnings.map((warning) => (
        <p key={warning} className="question-problem">
          {warning}
        </p>
      ))}
    </div>
  )
}
