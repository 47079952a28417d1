const STEPS: Record<string, (index: number, count: number) => number> = {
  ArrowDown: (index) => index + 1,
  ArrowRight: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  ArrowLeft: (index) => index - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** Has the arrow keys, Home and End go from one child to the next: the children are one stop of the Tab key. */
export function roving(parent: HTMLElement, onFocus: (child: HTMLElement) => void): void {
  parent.addEventListener('keydown', (event) => {
    const step = STEPS[event.key]
    const children = [...parent.children].filter((child) => child instanceof HTMLElement)
    const index = children.indexOf(event.target as HTMLElement)
    if (step === undefined || index === -1) return
    event.preventDefault()
    const child = children[Math.min(Math.max(step(index, children.length), 0), children.length - 1)]
    if (child === undefined) return
    onFocus(child)
    child.focus()
  })
}
