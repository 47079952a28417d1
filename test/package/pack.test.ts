import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../browser/chromium.js'

interface Manifest {
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
  exports: Record<string, unknown>
}

/** What the app itself depends on, beside `taskwire` and what that declares. */
const ofTheApp = [
  'react-dom',
  'vite',
  '@vitejs/plugin-react',
  'typescript',
  '@types/node',
  '@types/react',
  '@types/react-dom',
  '@modelcontextprotocol/node',
  'zod',
]
/** Declared, optional, and not used by this app. */
const notInTheApp = ['@modelcontextprotocol/sdk']

const repository = resolve(import.meta.dirname, '../..')
// Vitest sets NODE_ENV to `test`, which would make Vite build for development.
const { NODE_ENV: _, ...environment } = process.env
let folder: string
let app: string
let manifest: Manifest

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwire-package-'))
  app = join(folder, 'app')
  const installed = join(app, 'node_modules/taskwire')
  await cp(join(import.meta.dirname, 'app'), app, { recursive: true })
  await mkdir(installed, { recursive: true })
  // `npm pack` builds first: see `prepack` in package.json.
  await run('npm', ['pack', '--pack-destination', folder], repository)
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  await run('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1'], folder)
  manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Manifest
  // The packages are the repository's own: no network. Only what is declared can be found.
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  for (const name of [...declared, ...ofTheApp].filter((one) => !notInTheApp.includes(one))) {
    const link = join(app, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(repository, 'node_modules', name), link, 'junction')
  }
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('the package brings declarations and sources for every file, and no tests', async () => {
  const files = (await readdir(join(app, 'node_modules/taskwire'), { recursive: true })).filter((file) =>
    /\.(js|ts|tsx|map|md)$/.test(file),
  )
  expect(files.filter((file) => /\.test(-d)?\./.test(file))).toEqual([])
  const scripts = files.filter((file) => file.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.filter((file) => !files.includes(file.replace(/\.js$/, '.d.ts')))).toEqual([])
  expect(files.filter((file) => /^src[\\/]index\.ts$/.test(file))).toHaveLength(1)
})

test('an app that uses it type-checks in strict mode', async () => {
  await run('node', [bin('typescript', 'bin/tsc')], app)
})

test.for([
  ['taskwire', ['@modelcontextprotocol/client', 'zustand']],
  ['taskwire/query', ['@modelcontextprotocol/client', 'zustand']],
  ['taskwire/react', ['@modelcontextprotocol/client', 'zustand', 'react', '@tanstack/react-query']],
  ['taskwire/server', ['@modelcontextprotocol/server']],
  ['taskwire/testing', ['@modelcontextprotocol/client', '@modelcontextprotocol/server', 'zustand', 'msw']],
] as const)('%s loads in plain Node, and only these packages with it: %s', async ([entry, packages]) => {
  await run('node', ['--input-type=module', '--eval', `await import('${entry}')`], app)
  const start = join(app, 'node_modules/taskwire/dist', entry.replace(/^taskwire\/?/, ''), 'index.js')
  const loaded = await packagesLoadedBy(start)
  expect([...loaded].filter((name) => !(packages as readonly string[]).includes(name))).toEqual([])
})

test('an app that uses it builds, and a tool call in it becomes a task with a result', async () => {
  await run('node', [bin('vite', 'bin/vite.js'), 'build'], app)
  const { url, server } = await preview()
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const methods: (string | undefined)[] = []
    page.on('request', (request) => methods.push(request.headers()['mcp-method']))
    await page.goto(url)
    const outcome = page.locator('output, [role=alert]')
    await outcome.waitFor()
    expect(await outcome.textContent()).toBe('Report: Sales')
    // The same key after a reload is the same call: its result is asked for, the tool is not run again.
    await page.reload()
    await outcome.waitFor()
    expect(await outcome.textContent()).toBe('Report: Sales')
    expect(methods.filter((method) => method === 'tools/call')).toHaveLength(1)
  } finally {
    await browser.close()
    server.kill()
  }
})

function bin(name: string, path: string): string {
  return join(app, 'node_modules', name, path)
}

/** Runs a command to its end; what it printed is the message where it fails. */
async function run(command: string, args: string[], cwd: string): Promise<void> {
  const shell = process.platform === 'win32'
  await promisify(execFile)(command, args, { cwd, env: environment, shell }).catch(({ stdout, stderr }) => {
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
  })
}

/** Serves the built app, with the MCP server of its vite.config.ts. */
async function preview(): Promise<{ url: string; server: ChildProcess }> {
  const args = [bin('vite', 'bin/vite.js'), 'preview', '--host', '127.0.0.1', '--port', '0']
  const server = spawn(process.execPath, args, { cwd: app, env: { ...environment, NO_COLOR: '1' } })
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    const read = (chunk: Buffer): void => {
      printed += chunk
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(printed)?.[0]
      if (found !== undefined) resolve(found)
    }
    server.stdout.on('data', read)
    server.stderr.on('data', read)
    server.once('exit', () => reject(new Error(`vite preview ended:\n${printed}`)))
  })
  return { url, server }
}

/** The packages that a built file and the files it imports load when they are loaded. */
async function packagesLoadedBy(file: string, seen: Set<string> = new Set()): Promise<Set<string>> {
  const packages = new Set<string>()
  if (seen.has(file)) return packages
  seen.add(file)
  const code = await readFile(file, 'utf8')
  for (const [, id = ''] of code.matchAll(/^(?:import|export)\s+(?:[\w$*{}\s,]+\sfrom\s+)?["']([^"']+)["']/gm)) {
    if (id.startsWith('.')) {
      for (const name of await packagesLoadedBy(join(dirname(file), id), seen)) packages.add(name)
    } else {
      packages.add(/^(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id)
    }
  }
  return packages
}
