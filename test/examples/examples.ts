/** An app of `examples/`, and how it is checked, built and started. */
export interface Example {
  /** Its folder. */
  readonly name: string
  /**
   * A page is clicked through in Chromium, as are those of two users whose backend has the client; a chat is talked to there; a
   * server is called by a client in Node, and a backend that sleeps is left alone while it follows a call.
   */
  readonly kind: 'chat' | 'page' | 'server' | 'sleeper' | 'users'
  /**
   * A framework whose files only a checker of its own reads, with a compiler before TypeScript 7: the command, and the other
   * files, which TypeScript 7 checks.
   */
  readonly checker?: {
    readonly command: readonly string[]
    readonly files: readonly string[]
    readonly typescript: string
  }
  /** A command of its packages, before types are checked: it writes declarations that they need. */
  readonly prepare?: readonly string[]
  /** A command of its packages that serves what was built. `PORT` is replaced. */
  readonly start: readonly string[]
  /** The oldest Node that its framework takes, where that is not 20.19. */
  readonly node?: '22'
}

const vitePreview = ['vite', 'preview', '--host', '127.0.0.1', '--port', 'PORT', '--strictPort']
const wranglerDev = ['wrangler', 'dev', '--ip', '127.0.0.1', '--port', 'PORT']

export const EXAMPLES: readonly Example[] = [
  { name: 'vanilla', kind: 'page', start: vitePreview },
  { name: 'vite-react', kind: 'page', start: vitePreview },
  { name: 'backend-hono', kind: 'users', start: vitePreview },
  { name: 'existing-client', kind: 'page', start: vitePreview },
  // The AI SDK asks for Node 22.
  { name: 'assistant-ui', kind: 'chat', start: vitePreview, node: '22' },
  { name: 'copilotkit', kind: 'chat', start: vitePreview },
  { name: 'express', kind: 'server', start: ['node', 'dist/index.js'] },
  { name: 'hono', kind: 'server', start: ['node', 'dist/index.js'] },
  {
    name: 'vue',
    kind: 'page',
    start: vitePreview,
    checker: { command: ['vue-tsc'], typescript: '~5.9.3', files: ['server.ts', 'vite.config.ts'] },
  },
  { name: 'solid', kind: 'page', start: vitePreview },
  {
    name: 'sveltekit',
    kind: 'page',
    start: ['node', 'build'],
    node: '22',
    // SvelteKit 3 asks for TypeScript 6.
    checker: {
      command: ['npm', 'run', 'check'],
      typescript: '^6.0.3',
      files: ['src/lib/server/reports.ts'],
    },
  },
  {
    name: 'next',
    kind: 'page',
    start: ['next', 'start', '--hostname', '127.0.0.1', '--port', 'PORT'],
    prepare: ['next', 'typegen'],
  },
  {
    name: 'backend-next',
    kind: 'page',
    start: ['next', 'start', '--hostname', '127.0.0.1', '--port', 'PORT'],
    prepare: ['next', 'typegen'],
  },
  { name: 'workers', kind: 'server', start: wranglerDev, node: '22' },
  { name: 'workers-alarms', kind: 'sleeper', start: wranglerDev, node: '22' },
]
