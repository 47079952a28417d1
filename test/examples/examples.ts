/** An app of `examples/`, and how it is checked, built and started. */
export interface Example {
  /** Its folder. */
  readonly name: string
  /** A page is clicked through in Chromium; a server is called by a client in Node. */
  readonly kind: 'page' | 'server'
  /** Files of its framework, which only a checker of that framework reads, by TypeScript 5: its arguments. */
  readonly checker?: readonly string[]
  /** A command of its packages, before types are checked: it writes declarations that they need. */
  readonly prepare?: readonly string[]
  /** A command of its packages that serves what was built. `PORT` is replaced. */
  readonly start: readonly string[]
  /** The oldest Node that its framework takes, where that is not 20.19. */
  readonly node?: '22'
}

const vitePreview = ['vite', 'preview', '--host', '127.0.0.1', '--port', 'PORT', '--strictPort']

export const EXAMPLES: readonly Example[] = [
  { name: 'vanilla', kind: 'page', start: vitePreview },
  { name: 'vite-react', kind: 'page', start: vitePreview },
]
