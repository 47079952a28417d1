type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A view, as its parent puts it into the page. */
export interface View<Model> {
  readonly element: Element
  update(model: Model): void
}

/** An HTML element. Texts are texts, never HTML: servers have written some of them. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  setAttributes(made, attributes)
  made.append(...children)
  return made
}

/** The same for SVG, whose positions are attributes: a page may forbid styles. */
export function svgElement<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag)
  setAttributes(made, attributes)
  made.append(...children)
  return made
}

/** Touches what differs, and nothing else. An attribute that is undefined or false is taken away. */
export function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) target.removeAttribute(name)
    else {
      const text = value === true ? '' : String(value)
      if (target.getAttribute(name) !== text) target.setAttribute(name, text)
    }
  }
}

export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text
}

export function setHidden(target: HTMLElement, isHidden: boolean): void {
  if (target.hidden !== isHidden) target.hidden = isHidden
}
