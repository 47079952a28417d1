// A section whose title is the name of a framework is for its users alone, and a block of code with `each-framework` is shown as
// each framework has it: a reader chooses one for all pages.

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

const REACT_PLUGIN = "import react from '@vitejs/plugin-react'"

/** What an app of Vite has in place of `@vitejs/plugin-react`, and of `react()` in its plugins. */
const PLUGINS = {
  react: { imported: `${REACT_PLUGIN}\n`, called: 'react(), ' },
  vue: { imported: "import vue from '@vitejs/plugin-vue'\n", called: 'vue(), ' },
  svelte: { imported: "import { svelte } from '@sveltejs/vite-plugin-svelte'\n", called: 'svelte(), ' },
  solid: { imported: "import solid from 'vite-plugin-solid'\n", called: 'solid(), ' },
  dom: { imported: '', called: '' },
}

/** @typedef {keyof typeof PLUGINS} Framework */

/**
 * @param {string} code of an app with React that Vite has created, or the command that creates it
 * @param {Framework} framework
 * @returns {string} the same for an app with another framework
 */
export function codeFor(code, framework) {
  const { imported, called } = PLUGINS[framework]
  return code
    .replace('react-ts', framework === 'dom' ? 'vanilla-ts' : `${framework}-ts`)
    .replace(`${REACT_PLUGIN}\n`, imported)
    .replace('react(), ', called)
}

/**
 * Shows a block with `each-framework` once for each framework. What the reader has chosen is shown, else the one of React, which
 * the search finds.
 *
 * @param {{ renderer: { rules: { fence?: Fence | undefined } } }} md
 *
 * @typedef {(tokens: any[], index: number, options: any, env: any, self: any) => string} Fence
 */
export function showFrameworks(md) {
  const { fence } = md.renderer.rules
  if (fence === undefined) return
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index]
    if (!/ each-framework\b/.test(token.info) || env.isSearch) return fence(tokens, index, options, env, self)
    const shown = /** @type {Framework[]} */ (Object.keys(PLUGINS)).map((framework) => {
      const content = codeFor(token.content, framework)
      const one = Object.assign(Object.create(Object.getPrototypeOf(token)), token, { content })
      return `<div data-code-for="${framework}">${fence(tokens.with(index, one), index, options, env, self)}</div>`
    })
    return `<div class="code-for-frameworks">${shown.join('')}</div>\n`
  }
}
