import { isBeside } from '../switches.js'

/** Names the parts of the second tab apart from those of the first, which is around it. */
export function OfSecondTab() {
  return isBeside ? <span className="visually-hidden"> of the second tab</span> : null
}
