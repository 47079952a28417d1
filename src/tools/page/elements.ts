/** Makes an element. Texts are set as text: most of what the page shows comes from a server. */
export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, unknown>> = {},
  ...children: (string | Node)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  setAttributes(element, attributes)
  element.append(...children)
  return element
}

/** Sets attributes; those that are undefined or false are removed. */
export function setAttributes(element: Element, attributes: object): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) element.removeAttribute(name)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
}

/** A button that submits nothing. */
export function button(label: string, onClick: () => unknown): HTMLButtonElement {
  const element = create('button', { type: 'button' }, label)
  element.addEventListener('click', () => void onClick())
  return element
}

/** A long name, which may break where its words end. */
export function words(name: string): (string | Node)[] {
  return name.split(/(?<=[_.-])/).flatMap((part, index) => (index === 0 ? [part] : [create('wbr'), part]))
}

/** Changes the text only if it is another one: a live region would say it again. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text
  element.toggleAttribute('hidden', text === '')
}
