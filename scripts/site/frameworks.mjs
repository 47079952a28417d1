// A section whose title is the name of a framework is for its users alone: a reader chooses one for all pages.

/** By the title of a section, what the reader has chosen. */
const FRAMEWORK_OF = new Map([
  ['React', 'react'],
  ['Next', 'react'],
  ['Vue', 'vue'],
  ['Svelte', 'svelte'],
  ['Solid', 'solid'],
  ['Plain DOM', 'dom'],
])

/**
 * @param {readonly Token[]} tokens of a page
 * @returns {{ from: number, to: number, framework: string }[]} its sections for one framework: from a heading to the next
 *   one that is not below it
 *
 * @typedef {{ type: string, tag: string, content: string }} Token
 */
export function sectionsOf(tokens) {
  const headings = tokens.flatMap(({ type, tag }, index) =>
    type === 'heading_open' ? [{ index, level: Number(tag[1]) }] : [],
  )
  return headings.flatMap(({ index, level }, place) => {
    const framework = FRAMEWORK_OF.get(tokens[index + 1]?.content ?? '')
    if (framework === undefined || level === 1) return []
    const next = headings.slice(place + 1).find((heading) => heading.level <= level)
    return [{ from: index, to: next?.index ?? tokens.length, framework }]
  })
}

/**
 * A rule of markdown-it.
 *
 * @param {{ tokens: any[], Token: new (type: string, tag: string, nesting: 0) => { content: string } }} state
 */
export function markFrameworks(state) {
  const { tokens, Token: HtmlToken } = state
  const html = (/** @type {string} */ content) => Object.assign(new HtmlToken('html_block', '', 0), { content })
  for (const { from, to, framework } of sectionsOf(tokens).reverse()) {
    tokens.splice(to, 0, html('</div>\n'))
    tokens.splice(from, 0, html(`<div class="for-framework" data-for="${framework}">\n`))
  }
}
