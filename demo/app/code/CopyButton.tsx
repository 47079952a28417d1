import { useState } from 'react'

/** Copies a text, and says so. */
export function CopyButton({ text, of }: { text: string; of: string }) {
  const [outcome, setOutcome] = useState<string>()
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('Copied'),
      () => setOutcome('Select it'),
    )
  return (
    <button type="button" className="button quiet copy" aria-label={`${outcome ?? 'Copy'}: ${of}`} onClick={copy}>
      <span aria-live="polite">{outcome ?? 'Copy'}</span>
    </button>
  )
}
