import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type LaunchOptions, type Page } from 'playwright-core'
import { freePort } from '../support/freePort.js'
import { installed, isExecutable, type Variables } from './engines/executables.js'

/**
 * Where to take the browser from. `any` is the order of the README: CHROMIUM_PATH, an installed one, the npm one. `light` takes the npm one
 * before an installed one: it is a headless shell, which opens a context and a tab at a sixth of the CPU time, since it draws no window.
 */
export type ChromiumSource = 'any' | 'light' | 'installed' | 'npm'

const howToGetOne =
  'Install Chromium or Chrome, or set CHROMIUM_PATH to its executable (on Linux x64, `npm install` brings one).'

type ChromiumOptions = LaunchOptions & { source?: ChromiumSource }

// Playwright has its own defaults; these keep the browser from talking to anyone but the tests.
const quiet = [
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/**
 * Starts a headless Chromium. Options go to Playwright: for instance
 * `ignoreDefaultArgs: ['--disable-back-forward-cache']`, which Playwright switches off by default.
 */
export async function launchChromium(options: ChromiumOptions = {}): Promise<Browser> {
  const { source = 'light', args = [], ...rest } = options
  return withSandbox(await findChromium(source), (found) =>
    chromium.launch({ ...found, ...rest, args: [...quiet, ...args] }),
  )
}

/** What Playwright has to know of the Chromium to launch. */
type Launched = Required<Pick<LaunchOptions, 'executablePath' | 'chromiumSandbox'>> & Pick<LaunchOptions, 'env'>

/** Launches a Chromium in its sandbox, or without one where it cannot have one. */
async function withSandbox<T>(found: FoundChromium, launch: (found: Launched) => Promise<T>): Promise<T> {
  const { sandbox, ...rest } = found
  // With `chromiumSandbox: false` Playwright adds `--no-sandbox`, which root needs.
  if (sandbox === false || process.getuid?.() === 0) return launch({ ...rest, chromiumSandbox: false })
  return launch({ ...rest, chromiumSandbox: true }).catch((error: unknown) => {
    // Containers and some distributions forbid the user namespaces that the sandbox is made of.
    if (/sandbox/i.test(String(error))) return launch({ ...rest, chromiumSandbox: false })
    throw error
  })
}

/** A browser that can open a window. */
export interface WindowedChromium {
  readonly browser: Browser
  /**
   * Another connection to it, whose first context has tabs of which one is in front and hides the others. Playwright makes all
   * those that it opens itself believe that they are. For as long as it is open, it hears of all pages.
   */
  connect(): Promise<Browser>
}

/** Starts a Chromium that can open a window. */
export async function launchWindowed(options: ChromiumOptions): Promise<WindowedChromium> {
  const port = await freePort()
  const browser = await launchChromium({ ...options, args: [`--remote-debugging-port=${port}`] })
  return { browser, connect: () => chromium.connectOverCDP(`http://127.0.0.1:${port}`, { noDefaults: true }) }
}

/** A browser with an extension. */
export interface ExtendedChromium {
  /** Where its pages are. */
  readonly url: string
  newPage(): Promise<Page>
  close(): Promise<void>
}

/** Starts a Chromium with the unpacked extension of a folder, once its background runs. */
export async function launchExtension(folder: string): Promise<ExtendedChromium> {
  const profile = await mkdtemp(join(tmpdir(), 'taskwire-profile-'))
  const context = await withSandbox(await findChromium(), (found) =>
    chromium.launchPersistentContext(profile, {
      ...found,
      args: [...quiet, `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
      // Playwright switches extensions off.
      ignoreDefaultArgs: ['--disable-extensions'],
    }),
  )
  const background = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  const close = async () => {
    await context.close()
    await rm(profile, { recursive: true, force: true })
  }
  return { url: background.url(), newPage: () => context.newPage(), close }
}

/** Whether a browser is a headless shell: all of its tabs are visible, and it keeps no page to go back to. */
export async function isShell(browser: Browser): Promise<boolean> {
  const session = await browser.newBrowserCDPSession()
  const { product } = await session.send('Browser.getVersion')
  return product.startsWith('HeadlessChrome')
}

/** What to launch, and whether it can be sandboxed. */
export interface FoundChromium {
  executablePath: string
  env?: Record<string, string>
  sandbox?: false
}

export async function findChromium(
  source: ChromiumSource = 'any',
  environment: Variables = process.env,
): Promise<FoundChromium> {
  const given = environment.CHROMIUM_PATH
  if ((source === 'any' || source === 'light') && given) {
    if (isExecutable(given)) return { executablePath: given }
    throw new Error(`CHROMIUM_PATH is ${given}, which is not an executable file. ${howToGetOne}`)
  }
  const onMachine = async () => {
    const executablePath = installedChromium(environment)
    return executablePath === undefined ? undefined : { executablePath }
  }
  const places = {
    any: [onMachine, npmChromium],
    light: [npmChromium, onMachine],
    installed: [onMachine],
    npm: [npmChromium],
  }
  for (const place of places[source]) {
    const found = await place()
    if (found !== undefined) return found
  }
  throw new Error(`No Chromium found. ${howToGetOne}`)
}

function installedChromium(environment: Variables): string | undefined {
  // chromium-browser comes last: on Ubuntu it is often a stub that asks for a snap.
  const names = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser']
  return installed(names, environment) ?? usualPlaces(environment).find(isExecutable)
}

function usualPlaces(environment: Variables): string[] {
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium'].flatMap((name) =>
      ['/Applications', join(environment.HOME ?? '', 'Applications')].map((folder) =>
        join(folder, `${name}.app`, 'Contents/MacOS', name),
      ),
    )
  }
  if (process.platform === 'win32') {
    return [environment.PROGRAMFILES, environment['PROGRAMFILES(X86)'], environment.LOCALAPPDATA].flatMap((folder) =>
      folder === undefined
        ? []
        : [join(folder, 'Google/Chrome/Application/chrome.exe'), join(folder, 'Chromium/Application/chrome.exe')],
    )
  }
  return []
}

/**
 * The one inside `@sparticuz/chromium`, unpacked once under `node_modules/.cache`. It brings the libraries and
 * fonts that a bare machine lacks. Its recommended arguments are left out: `--disable-web-security` would make every
 * test of CORS pass, and with `--single-process` one crashed page ends them all.
 */
async function npmChromium(): Promise<FoundChromium | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const home = packageFolder('@sparticuz/chromium')
  if (home === undefined) return undefined
  const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { version: string }
  const folder = join(home, '../../.cache', `chromium-${version}`)
  if (!existsSync(folder)) await unpack(folder)
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...(process.env as Record<string, string>),
      FONTCONFIG_PATH: join(folder, 'fonts'),
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
    },
    sandbox: false,
  }
}

function packageFolder(name: string): string | undefined {
  try {
    const main = createRequire(import.meta.url).resolve(name)
    return main.slice(0, main.lastIndexOf(join('node_modules', name)) + join('node_modules', name).length)
  } catch {
    return undefined
  }
}

/**
 * The package unpacks into the temporary folder, where two processes would read each other's half-written files. So it
 * runs in a process with a temporary folder of its own, which takes its final name when it is complete.
 */
async function unpack(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const partial = await mkdtemp(`${folder}-`)
  const script = "import('@sparticuz/chromium').then((module) => module.default.executablePath())"
  await promisify(execFile)(process.execPath, ['--eval', script], {
    cwd: dirname(folder),
    // It unpacks its libraries where it believes to be on a Lambda.
    env: { ...process.env, TMPDIR: partial, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
  })
  const fonts = join(partial, 'fonts/fonts.conf')
  await writeFile(fonts, (await readFile(fonts, 'utf8')).replaceAll('/tmp/', `${folder}/`))
  await rename(partial, folder).catch(() => rm(partial, { recursive: true }))
}
