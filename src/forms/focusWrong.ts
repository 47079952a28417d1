import type { ElicitationField } from './elicitationFields.js'

/**
 * Takes the user to the field that is wrong, or to the button where the answer was not taken for another reason, unless they
 * have gone on to something else meanwhile.
 */
export function focusWrong(form: EventTarget | null, wrong: ElicitationField | undefined): void {
  if (!isForm(form)) return
  const { activeElement, body } = form.ownerDocument
  if (activeElement !== body && !form.contains(activeElement)) return
  const control = wrong === undefined ? undefined : form.elements.namedItem(wrong.id)
  const target = control ?? form.querySelector('[type="submit"]')
  if (target !== null && 'focus' in target) (target as HTMLElement).focus()
}

/** Not `instanceof`: a page may show a form in a window of its own. */
function isForm(target: EventTarget | null): target is HTMLFormElement {
  return target !== null && 'elements' in target && 'ownerDocument' in target
}
