import { element, setAttributes, setHidden, setText, type View } from './element.js'

/** A button that copies a text. Where the page may not, it shows the text. */
export function createCopyButton(label: string): View<string | undefined> {
  /** Null until there is something to know of. */
  let text: string | undefined | null = null
  const button = element('button', { type: 'button' }, label)
  const status = element('span', { role: 'status' })
  const shown = element('pre', { hidden: true })
  button.addEventListener('click', async () => {
    if (typeof text !== 'string') return
    try {
      await navigator.clipboard.writeText(text)
      setText(status, 'Copied.')
    } catch {
      setText(status, 'Copying is blocked. Select it here:')
      setText(shown, text)
      setHidden(shown, false)
    }
  })
  return {
    element: element('div', { class: 'copy' }, button, status, shown),
    update: (next) => {
      if (next === text) return
      text = next
      setAttributes(button, { disabled: text === undefined })
      setText(status, text === undefined ? 'Its HTTP was not seen.' : '')
      setHidden(shown, true)
    },
  }
}
