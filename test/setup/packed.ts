import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Packs the package, once for all tests of it. A release has done so already, and names the folder in PACKED. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['PACKED'] !== undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'taskwire-packed-'))
  // Vitest sets NODE_ENV to `test`, which would make Vite build for development.
  const { NODE_ENV: _, ...env } = process.env
  // `npm pack` builds first: see `prepack` in package.json.
  await promisify(execFile)('npm', ['pack', '--pack-destination', folder], { env, shell: process.platform === 'win32' })
  process.env['PACKED'] = folder
  return () => rm(folder, { recursive: true, force: true })
}
