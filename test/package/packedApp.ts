import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** An app in an empty folder, with the packed package and what an app may find beside it. */
export interface PackedApp {
  /** Where the app is. */
  readonly path: string
  /** The file that npm has packed, and that a release publishes. */
  readonly tarball: string
  /** Where the package is installed in it. */
  readonly installed: string
  /** The path of a command of a package of the app. */
  bin(name: string, path: string): string
  /** Runs Node on a command in the app and resolves to what it printed, which is the message where it fails. */
  run(args: readonly string[]): Promise<string>
  remove(): Promise<void>
}

export interface PackedAppOptions {
  /** A folder whose files are the app. @default an app without files */
  readonly files?: string
  /** Packages of the app, beside `taskwire` and what that declares. */
  readonly packages: readonly string[]
  /** What the package declares and this app does not have. */
  readonly without?: readonly string[]
}

const repository = resolve(import.meta.dirname, '../..')
// Vitest sets NODE_ENV to `test`, which would make Vite build for development.
const { NODE_ENV: _, ...inherited } = process.env
export const environment: NodeJS.ProcessEnv = { ...inherited, NO_COLOR: '1' }

/** Installs the packed package. The other packages are the repository's own: no network. */
export async function createPackedApp({ files, packages, without = [] }: PackedAppOptions): Promise<PackedApp> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwire-package-'))
  const path = join(folder, 'app')
  const installed = join(path, 'node_modules/taskwire')
  await mkdir(installed, { recursive: true })
  if (files !== undefined) await cp(files, path, { recursive: true })
  // test/setup/packed.ts has packed it, or the release that publishes what was tested.
  const packed = resolve(repository, process.env['PACKED'] ?? '')
  const tarball = (await readdir(packed)).find((name) => /^taskwire-.*\.tgz$/.test(name))
  if (tarball === undefined) throw new Error(`There is no packed package in ${packed}.`)
  await run('tar', ['-xzf', join(packed, tarball), '-C', installed, '--strip-components=1'], folder)
  const manifest: unknown = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  const { dependencies, peerDependencies } = manifest as Record<string, Record<string, string>>
  // Only what is declared can be found.
  const declared = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !without.includes(name))
  for (const name of new Set([...declared, ...packages])) {
    const link = join(path, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(repository, 'node_modules', name), link, 'junction')
  }
  return {
    path,
    tarball: join(packed, tarball),
    installed,
    bin: (name, file) => join(path, 'node_modules', name, file),
    run: (args) => run('node', args, path),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const shell = process.platform === 'win32'
  const options = { cwd, env: environment, shell }
  const { stdout, stderr } = await promisify(execFile)(command, args, options).catch(({ stdout, stderr }) => {
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
  })
  return stdout + stderr
}
