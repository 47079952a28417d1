import { isLite } from './isLite.js'

/** Loads the page again, with the other client. */
export function ClientSwitch() {
  return (
    <p className="server-switch">
      <a href={isLite ? '.' : '?lite'}>{isLite ? 'With the SDK' : 'With taskwire/lite'}</a>
    </p>
  )
}
