import { element, setText } from './element.js'

export interface CallsBar {
  readonly element: HTMLElement
  /** What the user looks for, in lower case. */
  readonly wanted: () => string
}

export interface CallsBarOptions {
  readonly onChange: () => void
  /** Forgets what has ended. */
  readonly onClear: () => void
  /** Takes the text of a file. Returns what is wrong with it. */
  readonly onLoad: (text: string) => string | undefined
}

/** Above the list of calls: what is listed, and calls out of files. */
export function createCallsBar({ onChange, onClear, onLoad }: CallsBarOptions): CallsBar {
  const filter = element('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter the calls' })
  const clear = element('button', { type: 'button', title: 'Hide the calls that have ended' }, 'Clear')
  const load = element('button', { type: 'button', title: 'Show the calls of a recording' }, 'Load')
  const file = element('input', {
    type: 'file',
    accept: 'application/json,.json',
    hidden: true,
    'aria-label': 'Recording',
  })
  const status = element('p', { role: 'status', class: 'loaded' })
  filter.addEventListener('input', onChange)
  clear.addEventListener('click', onClear)
  load.addEventListener('click', () => file.click())
  file.addEventListener('change', async () => {
    const [chosen] = file.files ?? []
    if (chosen === undefined) return
    setText(status, onLoad(await chosen.text()) ?? '')
    // The same file can be chosen a second time.
    file.value = ''
  })
  return {
    element: element('div', { class: 'calls-bar' }, filter, clear, load, file, status),
    wanted: () => filter.value.trim().toLowerCase(),
  }
}
