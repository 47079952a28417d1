import { tabMemory } from '../tabMemory.js'
import { element, setAttributes } from './element.js'

const kept = tabMemory('height')

/** Of the height of the window, in percent. */
const LIMITS = { min: 20, max: 95 }
/** As the styles have it. */
const INITIAL = 54
const STEP = 5

/** The edge of a panel over the page: a drag, or the arrow keys, make the panel larger and smaller. Its height is kept for this tab. */
export function createResizer(panel: HTMLElement, isAtBottom: boolean): HTMLElement {
  const edge = element('div', {
    class: 'edge',
    role: 'separator',
    tabindex: 0,
    'aria-orientation': 'horizontal',
    'aria-label': 'Height of the panel',
    'aria-valuemin': LIMITS.min,
    'aria-valuemax': LIMITS.max,
    'aria-valuenow': INITIAL,
  })

  const now = () => (panel.getBoundingClientRect().height / Math.max(1, innerHeight)) * 100

  function set(percent: number): number {
    const height = Math.min(Math.max(Math.round(percent), LIMITS.min), LIMITS.max)
    // Set by script, which a strict CSP allows.
    panel.style.height = `${height}vh`
    setAttributes(edge, { 'aria-valuenow': height })
    return height
  }

  edge.addEventListener('keydown', (event) => {
    const grow = isAtBottom ? 'ArrowUp' : 'ArrowDown'
    const shrink = isAtBottom ? 'ArrowDown' : 'ArrowUp'
    if (event.key !== grow && event.key !== shrink) return
    event.preventDefault()
    kept.write(String(set(now() + (event.key === grow ? STEP : -STEP))))
  })
  edge.addEventListener('pointerdown', (event) => {
    edge.setPointerCapture(event.pointerId)
    const move = ({ clientY }: PointerEvent) =>
      set(((isAtBottom ? innerHeight - clientY : clientY) / Math.max(1, innerHeight)) * 100)
    const end = () => {
      kept.write(String(Math.round(now())))
      edge.removeEventListener('pointermove', move)
      edge.removeEventListener('pointerup', end)
      edge.removeEventListener('pointercancel', end)
    }
    edge.addEventListener('pointermove', move)
    edge.addEventListener('pointerup', end)
    edge.addEventListener('pointercancel', end)
  })
  const height = Number(kept.read())
  if (height > 0) set(height)
  return edge
}
