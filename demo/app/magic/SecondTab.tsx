import { addressWith } from '../switches.js'

/** The same page once more: a tab of its own to the browser, with a client of its own. Escape closes it. */
export function SecondTab({ onClose }: { onClose: () => void }) {
  const closeOnEscape = (event: KeyboardEvent | React.KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented) onClose()
  }
  return (
    <section className="panel second-tab" aria-labelledby="second-tab" onKeyDown={closeOnEscape}>
      <header className="panel-header">
        <h2 id="second-tab">Second tab</h2>
        <p className="muted">the same work, one poller for both</p>
        <button type="button" className="button quiet" aria-label="Close second tab" onClick={onClose}>
          Close
        </button>
      </header>
      <iframe
        title="Northlight Studio, second tab"
        src={addressWith('beside', '')}
        onLoad={(event) => event.currentTarget.contentWindow?.addEventListener('keydown', closeOnEscape)}
      />
    </section>
  )
}
