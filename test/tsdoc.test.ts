import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const repository = resolve(import.meta.dirname, '..')

/** Where the names of an example come from that it does not import. The first entry that has a name is taken. */
const ENTRIES = [
  'taskwire',
  'taskwire/ai',
  'taskwire/alarms',
  'taskwire/auth',
  'taskwire/backend',
  'taskwire/backend/push',
  'taskwire/backend/webhooks',
  'taskwire/devtools',
  'taskwire/diagnose',
  'taskwire/forms',
  'taskwire/gateway',
  'taskwire/jobs',
  'taskwire/notify',
  'taskwire/otel',
  'taskwire/query',
  'taskwire/react',
  'taskwire/server',
  'taskwire/server/bullmq',
  'taskwire/server/postgres',
  'taskwire/server/redis',
  'taskwire/solid',
  'taskwire/testing',
  'taskwire/vue',
]

/** Folders of bindings: their examples import from their own entries first. That of Svelte cannot be loaded by Node. */
const BINDINGS = ['solid', 'svelte', 'vue']

/** And those of other packages. */
const PACKAGES: Record<string, string> = {
  Client: '@modelcontextprotocol/client',
  StreamableHTTPClientTransport: '@modelcontextprotocol/client',
  useMutation: '@tanstack/vue-query',
  streamText: 'ai',
  Redis: 'ioredis',
  setupServer: 'msw/node',
  Pool: 'pg',
  useEffect: 'react',
  createRoot: 'react-dom/client',
  afterEach: 'vitest',
  beforeAll: 'vitest',
  describe: 'vitest',
  expect: 'vitest',
  test: 'vitest',
  z: 'zod',
}

const FRAMEWORKS: Record<string, [name: string, entry: string][]> = {
  solid: [
    ['For', 'solid-js'],
    ['Match', 'solid-js'],
    ['Show', 'solid-js'],
    ['Switch', 'solid-js'],
    ['render', 'solid-js/web'],
  ],
  vue: [
    ['computed', 'vue'],
    ['createApp', 'vue'],
  ],
}

/** What an example may use of the app around it. */
const AROUND = `
import type { QueryClient } from '@tanstack/react-query'
import type { CallToolResult, TaskClient } from 'taskwire'
import type { ToolContext, TaskQueue, TaskStore, ToolDefinition } from 'taskwire/server'
import type { JSX } from 'react'
declare global {
  const client: TaskClient
  const queryClient: QueryClient
  const model: import('ai').LanguageModel
  const chat: ReturnType<typeof import('@ai-sdk/react').useChat>
  const tools: import('ai').ToolSet
  const part: { state: string; output?: unknown }
  const clientOfUser: (request: Request) => Promise<TaskClient | undefined>
  const url: string
  const session: { token(): Promise<string> }
  const token: () => string
  const show: (text: string) => void
  const pending: import('taskwire/react').PendingInputRequest
  const button: HTMLButtonElement
  const root: HTMLElement
  const serverInfo: { name: string; version: string }
  const report: ToolDefinition
  const result: CallToolResult
  const store: TaskStore
  const storage: import('taskwire').TaskStorage
  const setAlarm: (at: number) => Promise<void>
  const queue: TaskQueue
  const context: ToolContext
  const order: object
  const shop: { charge(order: object): Promise<string> }
  const collect: (region: string) => Promise<string[]>
  const connectionString: string
  const database: object
  const MyTaskStore: new (database: object) => TaskStore
  const http: typeof import('msw').http
  const App: () => never
  const Total: (props: { report: unknown }) => never
  const props: { quarter: string; week: string; pending: import('taskwire/react').PendingInputRequest }
  const Approval: (props: { text: string; onRespond: (response: { action: 'decline' }) => Promise<void> }) => JSX.Element
  const TanStackDevtools: (props: { plugins: object[] }) => JSX.Element
  interface Tools { generate_report: { arguments: { seconds: number } } }
}
`

it('each example of TSDoc compiles, in the app that it is part of', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'taskwire-tsdoc-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'), 'junction')
  await writeFile(join(folder, 'around.ts'), AROUND)
  const options = { skipLibCheck: true, allowJs: false, checkJs: false, noImplicitReturns: false }
  const config = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: options,
    include: ['*.ts', '*.tsx'],
    exclude: [],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const examples = await findExamples()
  expect(examples.length).toBeGreaterThan(30)
  const entryOf = await findNames()
  for (const { name, code } of examples) {
    const [, binding = ''] = /^bindings\.(\w+)/.exec(name) ?? []
    const names = BINDINGS.includes(binding) ? new Map([...entryOf, ...(await namesOf(binding))]) : entryOf
    const pragma = binding === 'solid' ? '/** @jsxImportSource solid-js */\n' : ''
    await writeFile(join(folder, `${name}.tsx`), pragma + moduleOf(code, names))
  }
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const compiled = promisify(execFile)(process.execPath, [tsc, '-p', folder], { cwd: folder })
  expect((await compiled.catch((error: { stdout: string }) => error)).stdout).toBe('')
})

/** The examples of all sources, under names that say where they stand. */
async function findExamples(): Promise<{ name: string; code: string }[]> {
  const files = await readdir(join(repository, 'src'), { recursive: true })
  const examples = files
    .filter((file) => /(?<!\.test(?:-d)?)\.tsx?$/.test(file))
    .map(async (file) => {
      const source = await readFile(join(repository, 'src', file), 'utf8')
      return [...source.matchAll(/@example\n *\* ```tsx?\n(?<lines>.*?)\n *\* ```/gs)].map(({ groups }, index) => ({
        name: `${file.replaceAll(/[\\/]/g, '.').replace(/\.tsx?$/, '')}.${index}`,
        code: (groups?.['lines'] ?? '').replace(/^ *\* ?/gm, ''),
      }))
    })
  return (await Promise.all(examples)).flat()
}

async function findNames(): Promise<Map<string, string>> {
  const entryOf = new Map(Object.entries(PACKAGES))
  for (const entry of ENTRIES) {
    const names = Object.keys(await import(/* @vite-ignore */ entry))
    for (const name of names) if (!entryOf.has(name)) entryOf.set(name, entry)
  }
  return entryOf
}

/** What the entry of a binding exports, as its source says, and what its examples take from its framework. */
async function namesOf(binding: string): Promise<[name: string, entry: string][]> {
  const source = await readFile(join(repository, 'src', `${binding}.ts`), 'utf8')
  const names = [...source.matchAll(/(?<=[{,]\s*)(?!type )\w+(?=\s*[,}])/g)].map(([name]) => name)
  return [...names.map((name) => [name, `taskwire/${binding}`] as [string, string]), ...(FRAMEWORKS[binding] ?? [])]
}

/** An example as a module: its imports, those of the names that it uses, and the rest as the body of a component. */
function moduleOf(code: string, entryOf: ReadonlyMap<string, string>): string {
  if (/^declare module/m.test(code)) return 'export {}'
  const lines = code.split('\n')
  const imports = lines.filter((line) => line.startsWith('import '))
  const body = lines.filter((line) => !line.startsWith('import ')).join('\n')
  const words = new Set(
    [...body.replace(/'[^'\n]*'/g, '').matchAll(/(?<!\w|(?<!\.\.)\.)[A-Za-z_]\w*/g)].map(([word]) => word),
  )
  const own = new Set([...body.matchAll(/\b(?:const|let) (?:\{ ?)?(\w+)/g)].map(([, name]) => name))
  for (const word of words) {
    const entry = entryOf.get(word)
    const isImported = imports.some((line) => new RegExp(`\\b${word}\\b`).test(line))
    if (entry !== undefined && !own.has(word) && !isImported) imports.push(`import { ${word} } from '${entry}'`)
  }
  // A member of an object, as an option is.
  const statements = /^\w+: /.test(body) ? `void { ${body} }` : body
  return `${imports.join('\n')}\nexport async function example() {\n${statements}\n}\n`
}
