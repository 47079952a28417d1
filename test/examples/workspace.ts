import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../support/freePort.js'

const repository = resolve(import.meta.dirname, '../..')

/** Compilers and versions of Node, installed once and kept: `npm install` finds them there the next time. */
const TOOLS = {
  ts5: 'npm:typescript@5.9',
  ts7: 'npm:typescript@7.0',
  node20: 'npm:node@20.19',
  node22: 'npm:node@22',
  node24: 'npm:node@24',
}

const NPM_INSTALL = ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline']

export type NodeVersion = '20' | '22' | '24'

/** Where examples are installed: a temporary folder with the packed package in it. */
export interface Workspace {
  readonly folder: string
  /** Packs a package of the repository, and returns the path of what was packed. */
  pack(from: string): Promise<string>
  /** Runs a command in a folder, without packages, and resolves to what it printed, which is the message where it fails. */
  run(command: readonly string[], cwd: string, variables?: Readonly<Record<string, string>>): Promise<string>
  /** Installs packages in a folder of their own, by name and range, and returns its path. */
  installPackages(versions: Readonly<Record<string, string>>): Promise<string>
  /** Copies a folder of the repository and installs it with the packed package. `versions` replace the ranges of its package.json. */
  install(name: string, options?: InstallOptions): Promise<InstalledApp>
  remove(): Promise<void>
}

export interface InstallOptions {
  /** A path, from the repository. @default `examples/NAME` */
  readonly from?: string
  readonly versions?: Readonly<Record<string, string>>
  /** The Node to run it with. @default the one that runs */
  readonly node?: NodeVersion | undefined
}

/** A copy of an example with its packages. */
export interface InstalledApp {
  readonly path: string
  /** Runs a command of its packages and resolves to what it printed, which is the message where it fails. */
  run(command: readonly string[]): Promise<string>
  /** Checks its types, or those of these files, with a compiler that is not its own. */
  checkTypes(compiler: 'ts5' | 'ts7', files?: readonly string[]): Promise<string>
  /** Starts a command of its packages with a free port in the place of `PORT`, and waits until it answers. */
  start(command: readonly string[], options?: StartOptions): Promise<RunningApp>
}

export interface StartOptions {
  /** @default a free one */
  readonly port?: number
  readonly variables?: Readonly<Record<string, string>>
}

export interface RunningApp {
  readonly url: string
  /** What it has printed so far. */
  printed(): string
  stop(): Promise<void>
  /** Ends it in the middle of what it does, as a crash would. */
  kill(): Promise<void>
}

/** Nothing is sent to anybody but the registry of npm. */
const QUIET = {
  NO_COLOR: '1',
  NO_UPDATE_NOTIFIER: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  SCARF_ANALYTICS: 'false',
  HOST: '127.0.0.1',
}

/** @param packed the path of the package, where it is packed already */
export async function createWorkspace(packed?: string): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwire-examples-'))
  const tools = await installTools()
  const environment = environmentOf(tools)
  const tarball = packed === undefined ? await pack(repository, folder, environment) : resolve(packed)
  return {
    folder,
    pack: (from) => pack(join(repository, from), folder, environment),
    run: (command, cwd, variables) => run(command, cwd, { ...environment, ...variables }),
    installPackages: async (versions) => {
      const path = await mkdtemp(join(folder, 'packages-'))
      await writeFile(join(path, 'package.json'), JSON.stringify({ private: true, dependencies: versions }))
      await run([...NPM_INSTALL, '--no-package-lock'], path, environment)
      return path
    },
    install: async (name, { from = `examples/${name}`, versions = {}, node } = {}) => {
      const path = await mkdtemp(join(folder, `${name}-`))
      await cp(resolve(repository, from), path, {
        recursive: true,
        filter: (file) => !/[\\/]node_modules([\\/]|$)/.test(file),
      })
      await setVersions(join(path, 'package.json'), { ...versions, taskwire: `file:${tarball}` })
      const environment = environmentOf(tools, path, node)
      await run([...NPM_INSTALL, '--no-package-lock'], path, environment)
      return {
        path,
        run: (command) => run(command, path, environment),
        checkTypes: async (compiler, files) => {
          const config = { extends: './tsconfig.json', ...(files && { include: [], files }) }
          await writeFile(join(path, 'tsconfig.checked.json'), JSON.stringify(config))
          const tsc = join(tools, 'node_modules', compiler, 'bin/tsc')
          return run(['node', tsc, '--noEmit', '-p', 'tsconfig.checked.json'], path, environment)
        },
        start: (command, options) => start(command, path, environment, options),
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** `npm pack` builds first: see `prepack` in package.json. */
async function pack(from: string, folder: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const to = await mkdtemp(join(folder, 'packed-'))
  await run(['npm', 'pack', '--pack-destination', to], from, environment)
  const [tarball = ''] = await readdir(to)
  return join(to, tarball)
}

async function installTools(): Promise<string> {
  const folder = join(repository, 'node_modules/.cache/taskwire-examples')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: TOOLS }))
  // Each package of Node has a script that fetches the one for this platform from npm.
  await run(NPM_INSTALL, folder, environmentOf(folder))
  return folder
}

async function setVersions(manifest: string, versions: Readonly<Record<string, string>>): Promise<void> {
  const content = JSON.parse(await readFile(manifest, 'utf8')) as Record<string, Record<string, string> | undefined>
  for (const [name, version] of Object.entries(versions)) {
    const group =
      ['dependencies', 'devDependencies'].find((key) => content[key]?.[name] !== undefined) ?? 'dependencies'
    content[group] = { ...content[group], [name]: version }
  }
  // What is pinned because of an upstream release is what the newest versions are tried for.
  if (Object.values(versions).includes('latest')) delete content['overrides']
  await writeFile(manifest, JSON.stringify(content, null, 2))
}

/** The packages of the app come first in PATH, then the Node that was asked for. */
function environmentOf(tools: string, path?: string, node?: NodeVersion): NodeJS.ProcessEnv {
  // `npm run` passes its own settings on in variables, and Vitest sets NODE_ENV, which builds would heed.
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_ENV$/i.test(name))
  const folders = [
    ...(path === undefined ? [] : [join(path, 'node_modules/.bin')]),
    ...(node === undefined ? [] : [join(tools, 'node_modules', `node${node}`, 'bin')]),
    process.env['PATH'] ?? '',
  ]
  return { ...Object.fromEntries(inherited), ...QUIET, PATH: folders.join(delimiter) }
}

async function run(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [file = '', ...args] = command
  const options = { cwd, env, maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' }
  const { stdout, stderr } = await promisify(execFile)(file, args, options).catch(({ message, stdout, stderr }) => {
    throw new Error(`${command.join(' ')} failed: ${message}\n${stdout}\n${stderr}`)
  })
  return stdout + stderr
}

async function start(
  command: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv,
  options: StartOptions = {},
): Promise<RunningApp> {
  const port = options.port ?? (await freePort())
  const env = { ...environment, ...options.variables, PORT: String(port) }
  const [file = '', ...args] = command.map((word) => (word === 'PORT' ? String(port) : word))
  const process = spawn(file, args, { cwd, env, detached: true })
  let printed = ''
  for (const stream of [process.stdout, process.stderr]) stream.on('data', (chunk) => (printed += chunk))
  // Not 'exit': npm ends before what it has started, which may still write to the folder of the app. What it prints to is closed last.
  const exited = once(process, 'close')
  const url = `http://127.0.0.1:${port}/`
  const end = async (signal: NodeJS.Signals) => {
    killGroup(process, signal)
    await exited
  }
  const stop = () => end('SIGTERM')
  try {
    await Promise.race([answers(url), exited.then(() => Promise.reject(new Error('it has ended')))])
  } catch (error) {
    await stop()
    throw new Error(`${command.join(' ')} does not serve: ${String(error)}\n${printed}`)
  }
  return { url, printed: () => printed, stop, kill: () => end('SIGKILL') }
}

/** A command of npm is often a process that starts others, which may outlive it. */
function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch (error) {
    // All of them have ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function answers(url: string): Promise<void> {
  const until = Date.now() + 120_000
  for (;;) {
    try {
      await fetch(url)
      return
    } catch (error) {
      if (Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
