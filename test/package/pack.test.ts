import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../browser/chromium.js'
import { createPackedApp, environment, type PackedApp } from './packedApp.js'

let app: PackedApp
/** The one build of the app, where a test has asked for it. */
let builds: Promise<string> | undefined

beforeAll(async () => {
  app = await createPackedApp({
    files: join(import.meta.dirname, 'app'),
    packages: [
      'react-dom',
      'vite',
      '@vitejs/plugin-react',
      'typescript',
      '@types/node',
      '@types/react',
      '@types/react-dom',
      '@modelcontextprotocol/node',
      'zod',
    ],
    without: ['@modelcontextprotocol/sdk'],
  })
})

afterAll(() => app?.remove())

test('the package brings declarations and sources for every file, and no tests', async () => {
  const files = (await readdir(app.installed, { recursive: true })).filter((file) => /\.(js|ts|tsx|map|md)$/.test(file))
  expect(files.filter((file) => /\.test(-d)?\./.test(file))).toEqual([])
  // The page of the gateway is no module: it is sent to browsers as it is.
  const scripts = files.filter((file) => file.endsWith('.js') && !file.endsWith('page.bundle.js'))
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.filter((file) => !files.includes(file.replace(/\.js$/, '.d.ts')))).toEqual([])
  expect(files.filter((file) => /^src[\\/]index\.ts$/.test(file))).toHaveLength(1)
})

test('an app that uses it type-checks in strict mode', async () => {
  await app.run([app.bin('typescript', 'bin/tsc')])
})

test.for([
  ['taskwire', ['@modelcontextprotocol/client', 'zustand']],
  ['taskwire/ai', []],
  ['taskwire/alarms', []],
  ['taskwire/auth', ['@modelcontextprotocol/client']],
  // For Node alone: it has records in files.
  ['taskwire/backend', ['@modelcontextprotocol/client', 'zustand', 'node:crypto', 'node:fs', 'node:path']],
  // For Node alone, as its package is.
  ['taskwire/backend/push', ['web-push']],
  ['taskwire/backend/webhooks', ['standardwebhooks']],
  ['taskwire/bridge', ['zustand']],
  ['taskwire/bridge/server', []],
  ['taskwire/core', ['zustand']],
  ['taskwire/devtools', []],
  ['taskwire/diagnose', []],
  ['taskwire/forms', []],
  ['taskwire/gateway', ['@modelcontextprotocol/client', '@modelcontextprotocol/server', 'zustand']],
  ['taskwire/jobs', []],
  ['taskwire/notify', []],
  ['taskwire/otel', ['@opentelemetry/api']],
  ['taskwire/lite', ['zustand']],
  ['taskwire/query', ['zustand']],
  ['taskwire/react', ['zustand', 'react', '@tanstack/react-query']],
  ['taskwire/results', ['idb-keyval']],
  ['taskwire/types', []],
  ['taskwire/server', ['@modelcontextprotocol/server']],
  ['taskwire/server/admin', []],
  ['taskwire/server/bullmq', []],
  ['taskwire/server/postgres', []],
  ['taskwire/server/redis', []],
  ['taskwire/solid', ['zustand', 'solid-js', '@tanstack/solid-query']],
  ['taskwire/testing', ['@modelcontextprotocol/client', '@modelcontextprotocol/server', 'zustand', 'msw']],
  ['taskwire/vue', ['zustand', 'vue', '@tanstack/vue-query']],
] as const)('%s loads in plain Node, and only these packages with it: %s', async ([entry, packages]) => {
  await app.run(['--input-type=module', '--eval', `await import('${entry}')`])
  const start = join(app.installed, 'dist', `${entry.replace(/^taskwire\/?/, '').replaceAll('/', '-') || 'index'}.js`)
  const loaded = await packagesLoadedBy(start)
  expect([...loaded].filter((name) => !(packages as readonly string[]).includes(name))).toEqual([])
})

test('npx taskwire says which version it is, and what it cannot do', async () => {
  const { bin, version } = JSON.parse(await readFile(join(app.installed, 'package.json'), 'utf8'))
  const command = join(app.installed, bin.taskwire)
  expect(await app.run([command, '--version'])).toBe(`${version}\n`)
  await expect(app.run([command, 'doctor', 'nonsense'])).rejects.toThrow('"nonsense" is not an http: or https: URL')
  await expect(app.run([command, 'types', 'none.json'])).rejects.toThrow('"none.json" is not an http: or https: URL')
})

test.for([
  ['an app in React', ''],
  ['[EDGE-24] an app in Vue', 'vue.html'],
  ['[EDGE-24] an app in Svelte', 'svelte.html'],
  ['[EDGE-24] an app in Solid', 'solid.html'],
] as const)('%s builds, and a tool call in it becomes a task with a result, once and on demand', async ([, file]) => {
  builds ??= app.run([app.bin('vite', 'bin/vite.js'), 'build'])
  await builds
  const { url, server } = await preview()
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const methods: (string | undefined)[] = []
    const calls = () => methods.filter((method) => method === 'tools/call').length
    page.on('request', (request) => methods.push(request.headers()['mcp-method']))
    await page.goto(url + file)
    const outcome = page.locator('output, [role=alert]')
    await outcome.waitFor()
    expect(await outcome.textContent()).toBe('Report: Sales')
    // Nothing that has queries fetched again runs the tool again.
    await page.evaluate(() => {
      for (const type of ['visibilitychange', 'focus', 'offline', 'online']) window.dispatchEvent(new Event(type))
    })
    // The same key after a reload is the same call: its result is asked for.
    await page.reload()
    await outcome.waitFor()
    expect(await outcome.textContent()).toBe('Report: Sales')
    expect(calls()).toBe(1)
    const again = page.waitForRequest((request) => request.headers()['mcp-method'] === 'tools/call')
    await page.getByRole('button').click()
    await again
  } finally {
    await browser.close()
    server.kill()
  }
})

/** Serves the built app, with the MCP server of its vite.config.ts. */
async function preview(): Promise<{ url: string; server: ChildProcess }> {
  const args = [app.bin('vite', 'bin/vite.js'), 'preview', '--host', '127.0.0.1', '--port', '0']
  const server = spawn(process.execPath, args, { cwd: app.path, env: environment })
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
