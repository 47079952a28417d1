import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPackedApp, type PackedApp } from './packedApp.js'

let app: PackedApp

beforeAll(async () => {
  app = await createPackedApp({
    files: join(import.meta.dirname, 'liteApp'),
    packages: ['react-dom', 'vite', 'typescript', '@types/react', '@types/react-dom'],
    without: ['@modelcontextprotocol/client', '@modelcontextprotocol/sdk', '@modelcontextprotocol/server', 'msw'],
  })
})

afterAll(() => app?.remove())

test('an app with taskwire/lite, taskwire/query and taskwire/react type-checks where the SDK is not installed', async () => {
  // The declarations of the package are checked, too: no `skipLibCheck`.
  await app.run([app.bin('typescript', 'bin/tsc')])
})

test('an app with taskwire/lite builds, and nothing in the bundle is the SDK', async () => {
  await app.run([app.bin('vite', 'bin/vite.js'), 'build'])
  const assets = join(app.path, 'dist/assets')
  const code = await Promise.all((await readdir(assets)).map((file) => readFile(join(assets, file), 'utf8')))
  expect(code).not.toEqual([])
  expect(code.some((text) => text.includes('mcpBrand'))).toBe(false)
})

test('taskwire/lite, taskwire/query and taskwire/react load in plain Node without the SDK', async () => {
  for (const entry of ['taskwire/lite', 'taskwire/query', 'taskwire/react'])
    await app.run(['--input-type=module', '--eval', `await import('${entry}')`])
})
