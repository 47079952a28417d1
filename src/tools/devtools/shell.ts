import type { DevtoolsTheme, TaskwireDevtoolsOptions } from './devtoolsOptions.js'
import { tabMemory } from './tabMemory.js'
import type { CallsTabOptions } from './view/callsTab.js'
import { element, setAttributes } from './view/element.js'
import { createPanel, type Panel } from './view/panel.js'
import { createResizer } from './view/resizer.js'
import { STYLES } from './view/styles.js'

/** The panel in a shadow root of its own, where the styles of the app and ours do not meet. */
export interface Shell {
  readonly panel: Panel
  isOpen(): boolean
  setTheme(theme: DevtoolsTheme): void
  remove(): void
}

const openness = tabMemory('open')

type ShellOptions = Pick<TaskwireDevtoolsOptions, 'target' | 'initialIsOpen' | 'position' | 'theme'>

/** In the element that the app gives it, or over the page, where a button opens and closes it. */
export function createShell(options: ShellOptions, tabs: CallsTabOptions): Shell {
  const { onChange } = tabs
  const { target, position = 'bottom-right', theme = 'system' } = options
  const host = document.createElement('taskwire-devtools')
  const root = host.attachShadow({ mode: 'open' })
  addStyles(root)

  const close = element('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, '×')
  const panel = createPanel(tabs, target ? undefined : close)
  const setTheme = (next: DevtoolsTheme) => setAttributes(host, { 'data-theme': next === 'system' ? undefined : next })
  setTheme(theme)
  root.append(panel.element)
  const shell = { panel, setTheme, remove: () => host.remove() }
  if (target) {
    target.append(host)
    return { ...shell, isOpen: () => true }
  }

  setAttributes(host, { 'data-position': position })
  panel.element.prepend(createResizer(panel.element, position.startsWith('bottom')))
  const toggle = element('button', { type: 'button', class: 'toggle', 'aria-controls': 'panel' }, 'Taskwire')
  root.prepend(toggle)
  let isOpen = options.initialIsOpen ?? openness.read() === 'true'

  function show(): void {
    panel.element.hidden = !isOpen
    toggle.hidden = isOpen
    setAttributes(toggle, { 'aria-expanded': String(isOpen) })
  }

  function setOpen(open: boolean): void {
    isOpen = open
    openness.write(String(open))
    show()
    if (open) panel.focus()
    else toggle.focus()
    onChange()
  }

  toggle.addEventListener('click', () => setOpen(true))
  close.addEventListener('click', () => setOpen(false))
  panel.element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    // It was meant for the panel, and not for a dialog of the app.
    event.stopPropagation()
    setOpen(false)
  })
  show()
  document.body.append(host)
  return { ...shell, isOpen: () => isOpen }
}

/** Adopted, which a strict CSP allows. jsdom has no such thing, and draws nothing either. */
function addStyles(root: ShadowRoot): void {
  if (!('adoptedStyleSheets' in root)) return
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLES)
  root.adoptedStyleSheets = [sheet]
}
