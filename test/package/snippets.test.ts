import { cp, link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filesOf, packagesOf, sectionOf } from '../../scripts/snippets.mjs'
import { isComponent, typeScriptOf } from './components.js'
import { createPackedApp, type PackedApp } from './packedApp.js'

const repository = resolve(import.meta.dirname, '../..')
const read = (path: string): Promise<string> => readFile(join(repository, path), 'utf8')
const pages = ['README.md', ...(await readdir(join(repository, 'docs'))).map((name) => `docs/${name}`)].filter((page) =>
  page.endsWith('.md'),
)
const nameOf = (page: string): string => basename(page, '.md')

/** What an app of `npm create vite` in TypeScript and React has, whatever a page says. */
const TEMPLATE = ['typescript', 'vite', '@types/react', '@types/react-dom']

/** Packages that are not installed here, and where as much of them as the snippets use is declared. */
const DECLARED: Record<string, string> = {
  next: 'docs/examples/frameworks.d.ts',
  expo: 'docs/examples/reactNativeModules.d.ts',
  'expo-crypto': 'docs/examples/reactNativeModules.d.ts',
  '@react-native-async-storage/async-storage': 'docs/examples/reactNativeModules.d.ts',
  '@react-native-community/netinfo': 'docs/examples/reactNativeModules.d.ts',
}

let app: PackedApp
/** What the compiler says of each page. */
let complaints: ReadonlyMap<string, string>

beforeAll(async () => {
  app = await createPackedApp({ packages: ['typescript'] })
  // What the README has its reader install for every page.
  const installed = packagesOf(sectionOf(await read('README.md'), 'Install'))
  for (const page of pages) await copyPage(page, [...TEMPLATE, ...installed])
  complaints = await compile()
})

afterAll(() => app?.remove())

test.for(pages)('each snippet of %s compiles as it is pasted, with the packages that the page names', (page) => {
  expect(complaints.get(nameOf(page)) ?? '').toBe('')
})

/** Writes what a page shows into a project of its own, if that is anything. */
async function copyPage(page: string, installed: readonly string[]): Promise<void> {
  const markdown = await read(page)
  const { shown, linked } = filesOf(markdown, page)
  if (shown.size === 0) return
  const path = await createPage(nameOf(page), [...new Set([...installed, ...packagesOf(markdown)])])
  for (const file of [...shown, ...linked]) {
    const copy = join(path, 'src', relative('docs/examples', file))
    await mkdir(dirname(copy), { recursive: true })
    if (isComponent(file)) await writeFile(`${copy}.ts`, typeScriptOf(file, await read(file)))
    else await cp(join(repository, file), copy)
  }
}

/** Compiles all pages by one compiler, which reads what they share once. Returns what it says, by the name of the page. */
async function compile(): Promise<ReadonlyMap<string, string>> {
  const folder = join(dirname(app.path), 'pages')
  const projects = (await readdir(folder)).map((name) => join(folder, name))
  const output = await app
    .run([app.bin('typescript', 'bin/tsc'), '--build', ...projects])
    .catch(({ message }: Error) => message)
  const complaints = new Map<string, string>()
  let page: string | undefined
  // What it says of a file may take some lines.
  for (const line of output.split('\n')) {
    page = /^\S*\bpages[\\/]([^\\/]+)[\\/].*: error TS/.exec(line)?.[1] ?? page
    if (page !== undefined) complaints.set(page, `${complaints.get(page) ?? ''}${line}\n`)
  }
  if (output.includes('error') && complaints.size === 0) throw new Error(output)
  return complaints
}

/** An empty project beside the app, with nothing but these packages. */
async function createPage(name: string, packages: readonly string[]): Promise<string> {
  const path = join(dirname(app.path), 'pages', name)
  await mkdir(join(path, 'src'), { recursive: true })
  const manifest: { dependencies: object } = JSON.parse(await readFile(join(app.installed, 'package.json'), 'utf8'))
  for (const dependency of [...packages, ...Object.keys(manifest.dependencies)]) {
    const target = join(path, 'node_modules', dependency)
    await mkdir(dirname(target), { recursive: true })
    if (dependency === 'taskwire') await linkTypes(app.installed, target)
    else if (dependency in DECLARED)
      await cp(join(repository, DECLARED[dependency] ?? ''), join(path, 'src', basename(DECLARED[dependency] ?? '')))
    else await symlink(join(repository, 'node_modules', dependency), target, 'junction')
  }
  const types = packages.includes('@types/node') ? ['vite/client', 'node'] : ['vite/client']
  await writeFile(
    join(path, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...OPTIONS, types }, include: ['src'] }),
  )
  return path
}

/** Installs what a compiler reads of a package, which finds there what the page has beside it. */
async function linkTypes(installed: string, target: string): Promise<void> {
  for (const name of await readdir(installed, { recursive: true })) {
    if (!/\.d\.ts$|^package\.json$/.test(name)) continue
    await mkdir(dirname(join(target, name)), { recursive: true })
    await link(join(installed, name), join(target, name))
  }
}

/** Those of the template of Vite, and the stricter ones that an app may have. */
const OPTIONS = {
  target: 'es2023',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  module: 'esnext',
  skipLibCheck: true,
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  verbatimModuleSyntax: true,
  moduleDetection: 'force',
  noEmit: true,
  jsx: 'react-jsx',
  strict: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  erasableSyntaxOnly: true,
  noFallthroughCasesInSwitch: true,
  noUncheckedSideEffectImports: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
}
