import { queryAllByRole } from '@testing-library/dom'
import type { Match, Step } from './query.js'

// Runs in the pages of engines that Playwright does not drive, and finds elements there as Playwright would.

const matches = (text: string | null | undefined, match: Match): boolean => {
  const normal = (text ?? '').replace(/\s+/g, ' ').trim()
  if ('source' in match) return new RegExp(match.source, match.flags).test(normal)
  return match.exact ? normal === match.text : normal.toLowerCase().includes(match.text.toLowerCase())
}

/** A root and the open shadow roots below it. */
function rootsIn(root: ParentNode): ParentNode[] {
  const shadows = [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? rootsIn(shadowRoot) : []))
  return [root, ...shadows]
}

const select = (root: ParentNode, css: string): HTMLElement[] =>
  rootsIn(root).flatMap((one) => [...one.querySelectorAll<HTMLElement>(css)])

const unseen = 'head *, script, style, noscript'

/** The smallest elements with a text. */
function byText(root: ParentNode, text: Match): HTMLElement[] {
  const all = select(root, `body *:not(${unseen}), :host *, *:not(${unseen})`)
  return all.filter(
    (one) => matches(one.textContent, text) && ![...one.children].some((child) => matches(child.textContent, text)),
  )
}

function byLabel(root: ParentNode, text: Match): HTMLElement[] {
  const controls = select(root, 'input, select, textarea, [aria-label]')
  return controls.filter((one) => {
    const labels = 'labels' in one ? [...((one as HTMLInputElement).labels ?? [])] : []
    return matches(one.getAttribute('aria-label'), text) || labels.some((label) => matches(label.textContent, text))
  })
}

function step(found: readonly ParentNode[], next: Step): ParentNode[] {
  switch (next.by) {
    case 'role': {
      const { role, name } = next
      const options = name && { name: (text: string) => matches(text, name) }
      return found.flatMap((one) => rootsIn(one).flatMap((root) => queryAllByRole(root as HTMLElement, role, options)))
    }
    case 'text':
      return found.flatMap((one) => byText(one, next.text))
    case 'label':
      return found.flatMap((one) => byLabel(one, next.text))
    case 'css':
      return found
        .flatMap((one) => select(one, next.css))
        .filter(({ textContent }) => next.text === undefined || matches(textContent, next.text))
    case 'frame':
      return found
        .flatMap((one) => select(one, next.css) as HTMLIFrameElement[])
        .flatMap(({ contentDocument }) => contentDocument?.body ?? [])
    case 'has':
      return found.filter((one) => next.steps.reduce(step, [one] as ParentNode[]).length > 0)
    case 'index':
      return found.slice(next.index, next.index + 1)
  }
}

function find(steps: readonly Step[]): HTMLElement[] {
  return [...new Set(steps.reduce(step, [document.body] as ParentNode[]))] as HTMLElement[]
}

const isVisible = (one: HTMLElement): boolean => {
  const { width, height } = one.getBoundingClientRect()
  // What is folded away in `details` has a size, too.
  return width > 0 && height > 0 && one.checkVisibility({ visibilityProperty: true })
}

/** The frames around an element, from the innermost to the outermost. */
function framesAround(one: Element): Element[] {
  const frame = one.ownerDocument.defaultView?.frameElement
  return frame ? [frame, ...framesAround(frame)] : []
}

/** How far the window of an element is from that of the page. */
function originOf(one: Element): { x: number; y: number } {
  const frames = framesAround(one).map((frame) => [frame, frame.getBoundingClientRect()] as const)
  return {
    x: frames.reduce((sum, [{ clientLeft }, { left }]) => sum + clientLeft + left, 0),
    y: frames.reduce((sum, [{ clientTop }, { top }]) => sum + clientTop + top, 0),
  }
}

/** True if it is scrolled out of its window, or out of that of the page. */
function isOutside(one: Element): boolean {
  const { top, bottom } = one.getBoundingClientRect()
  const { y } = originOf(one)
  return (
    Math.min(top, top + y) < 0 ||
    bottom > (one.ownerDocument.defaultView ?? window).innerHeight ||
    bottom + y > innerHeight
  )
}

/** The innermost element at a point of a document. */
function hitAt(root: DocumentOrShadowRoot, x: number, y: number): Element | null {
  const hit = root.elementFromPoint(x, y)
  const inner = hit?.shadowRoot && hitAt(hit.shadowRoot, x, y)
  return inner ?? hit
}

/** Where a user would click an element; undefined as long as another one lies over it, or it is disabled. */
function pointOf(one: HTMLElement): [number, number] | undefined {
  if (!isVisible(one) || one.matches(':disabled')) return undefined
  if (isOutside(one)) one.scrollIntoView({ block: 'center', behavior: 'instant' })
  const { left, top, width, height } = one.getBoundingClientRect()
  const [x, y] = [Math.floor(left + width / 2), Math.floor(top + height / 2)]
  const hit = hitAt(one.ownerDocument, x, y)
  // A click on its label is one on a control.
  const targets: Element[] = [one, ...((one as HTMLInputElement).labels ?? [])]
  if (!targets.some((target) => target.contains(hit))) return undefined
  const origin = originOf(one)
  return [Math.floor(origin.x + x), Math.floor(origin.y + y)]
}

function selectOption(one: HTMLElement, label: string): boolean {
  const option = [...(one as HTMLSelectElement).options].find((each) => each.label === label || each.value === label)
  if (option === undefined) return false
  option.selected = true
  for (const type of ['input', 'change']) one.dispatchEvent(new Event(type, { bubbles: true, composed: true }))
  return true
}

/** Types a text in place of what is in a field, also in a frame, whose keys not every driver can press. */
function fill(one: HTMLElement, text: string): boolean {
  if (!isVisible(one) || one.matches(':disabled')) return false
  one.focus()
  ;(one as HTMLInputElement).select()
  one.ownerDocument.execCommand('insertText', false, text)
  return (one as HTMLInputElement).value === text
}

/** Cuts the page off, or connects it again, as far as a page itself can tell. */
const connection = globalThis as typeof globalThis & { connectedFetch?: typeof fetch }
function setOffline(isOffline: boolean): void {
  connection.connectedFetch ??= fetch
  globalThis.fetch = isOffline ? () => Promise.reject(new TypeError('Load failed')) : connection.connectedFetch
  Object.defineProperty(navigator, 'onLine', { configurable: true, value: !isOffline })
  dispatchEvent(new Event(isOffline ? 'offline' : 'online'))
}

export const inPage = { find, isVisible, pointOf, selectOption, fill, setOffline }

Object.assign(globalThis, { inPage })
