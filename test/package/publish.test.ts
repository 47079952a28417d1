import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPackedApp, environment, type PackedApp } from './packedApp.js'

let app: PackedApp

beforeAll(async () => {
  app = await createPackedApp({ packages: [] })
})

afterAll(() => app?.remove())

test('[EDGE-52] npm publishes the very file that the tests install, under the same hash', async () => {
  // As the workflow does, with no registry in reach.
  const args = [
    'publish',
    '--ignore-scripts',
    app.tarball,
    '--dry-run',
    '--json',
    '--fetch-retries=0',
    '--registry',
    'http://127.0.0.1:9',
  ]
  const options = {
    cwd: dirname(app.tarball),
    env: environment,
    maxBuffer: 2 ** 26,
    shell: process.platform === 'win32',
  }
  const { stdout } = await promisify(execFile)('npm', args, options)
  const published: unknown = JSON.parse(stdout)
  const hash = createHash('sha512')
    .update(await readFile(app.tarball))
    .digest('base64')
  expect(JSON.stringify(published)).toContain(`"integrity":"sha512-${hash}"`)
})
