// Commands of npm, as other package managers have them: a reader chooses one for all pages.

export const MANAGERS = /** @type {const} */ (['npm', 'pnpm', 'yarn', 'bun'])

/** @typedef {(typeof MANAGERS)[number]} Manager */

/** @type {Record<Exclude<Manager, 'npm'>, { add: string, create: string, local: string, once: string }>} */
const WORDS = {
  pnpm: { add: 'pnpm add', create: 'pnpm create', local: 'pnpm exec', once: 'pnpm dlx' },
  yarn: { add: 'yarn add', create: 'yarn create', local: 'yarn', once: 'yarn dlx' },
  bun: { add: 'bun add', create: 'bun create', local: 'bunx', once: 'bunx' },
}

/**
 * @param {string} code of a shell, with commands of npm
 * @param {Manager} manager
 * @returns {string | undefined} the same for another package manager; undefined where a command has no counterpart
 */
export function commandsOf(code, manager) {
  if (!/\bnp[mx]\b/.test(code)) return undefined
  if (manager === 'npm') return code
  const { add, create, local, once } = WORDS[manager]
  const text = code
    // Only npm wants `--` before the options of the command, after its name and its folder.
    .replace(/\bnpm create (\S+(?: [^\s-]\S*)*)(?: --(?= ))?/g, `${create} $1`)
    .replace(/\bnpm (?:install|i) (?=[-@a-z])/g, `${add} `)
    .replace(/\bnpm install\b/g, `${manager} install`)
    .replace(
      /\bnpm (?:run )?(dev|build|start|test|preview)\b(?: -- )?/g,
      (whole, script) => `${manager} run ${script}${whole.endsWith(' -- ') ? ' ' : ''}`,
    )
    .replace(/\bnpx taskwire\b/g, `${local} taskwire`)
    .replace(/\bnpx\b/g, once)
  return /\bnp[mx]\b/.test(text.replace(/#.*$/gm, '')) ? undefined : text
}

/**
 * Shows a block of commands once for each package manager. What the reader has chosen is shown, and the search finds one.
 *
 * @param {{ renderer: { rules: { fence?: Fence | undefined } } }} md
 *
 * @typedef {{ info: string, content: string }} Token
 * @typedef {(tokens: any[], index: number, options: any, env: any, self: any) => string} Fence
 */
export function showPackageManagers(md) {
  const { fence } = md.renderer.rules
  if (fence === undefined) return
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index]
    const isShell = /^sh\b/.test(token.info) && !env.isSearch
    const blocks = isShell ? MANAGERS.map((manager) => ({ manager, code: commandsOf(token.content, manager) })) : []
    if (blocks.length === 0 || blocks.some(({ code }) => code === undefined))
      return fence(tokens, index, options, env, self)
    const shown = blocks.map(({ manager, code = '' }) => {
      const one = Object.assign(Object.create(Object.getPrototypeOf(token)), token, { content: code })
      return `<div data-manager="${manager}">${fence(tokens.with(index, one), index, options, env, self)}</div>`
    })
    return `<div class="packages"><PackageManagers />${shown.join('')}</div>\n`
  }
}
