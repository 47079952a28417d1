import type { ElicitationField } from './elicitationFields.js'

/**
 * Takes the user to the field that is wrong, or to the button where the answer was not taken for another reason, unless they
 * have gone on to something else meanwhile.
 */
export function focusWrong(form: EventTarget | null, wrong: ElicitationField | undefined): void {
  if (!isForm(form)) return
  const { activeElement, body } = form.ownerDocument
  // In a shadow root, the document says of each of its elements that its host has the focus.
  const focused = (form.getRootNode() as Document | ShadowRoot).activeElement ?? activeElement
  if (focused !== body && !form.contains(focused)) return
  // Not `namedItem()`: it has one answer for a control, and another for several that share its name.
  const control = wrong && Array.from(form.elements).find(({ id }) => id === wrong.id)
  const target = control ?? form.querySelector('button:not([type]), [type="submit"]')
  if (target !== null && 'focus' in target) (target as HTMLElement).focus()
}

/** Not `instanceof`: a page may show a form in a window of its own. */
function isForm(target: EventTarget | null): target is HTMLFormElement {
  return target !== null && 'elements' in target && 'ownerDocument' in target
}
