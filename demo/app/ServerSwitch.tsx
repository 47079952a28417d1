import { isLegacy } from './isLegacy.js'

/** Loads the page again, with the other server. */
export function ServerSwitch() {
  return (
    <p className="server-switch">
      <a href={isLegacy ? '.' : '?server=legacy'}>Server of {isLegacy ? '2026-07-28' : '2025-11-25'}</a>
    </p>
  )
}
