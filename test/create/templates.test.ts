import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { assemble, filesIn, SHARED } from '../../create/assemble.mjs'
import { TEMPLATE_NAMES, type Template } from '../../create/src/templates.js'
import type { TaskServer } from '../../src/server.js'
import { serve } from '../cli/support/serve.js'
import { taskwire } from '../cli/support/testTerminal.js'

const repository = join(import.meta.dirname, '../..')
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const root = readJson(join(repository, 'package.json'))

let folder = ''
const fileOf = (template: string, file: string) => readFileSync(join(folder, template, file), 'utf8')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'create-taskwire-templates-'))
  assemble(folder)
})
afterAll(() => rm(folder, { recursive: true }))

test('the command offers the templates that are published', () => {
  expect(Object.keys(SHARED)).toEqual(TEMPLATE_NAMES)
})

describe.each(TEMPLATE_NAMES)('the template %s', (name) => {
  it('has a server, a page, a client with types, a test and what npm would leave out', () => {
    const files = filesIn(join(folder, name))
    // Next has no "type": "module", and Vite warns of a module that is called otherwise.
    const [source, tools, vitest] =
      name === 'react' ? ['src', 'server.ts', 'vitest.config.ts'] : ['app', 'lib/reports.ts', 'vitest.config.mts']
    const own = ['client.ts', 'report.tsx', 'report.test.tsx', 'taskwire.gen.ts'].map((file) => `${source}/${file}`)
    const expected = ['_gitignore', 'README.md', 'package.json', 'tsconfig.json', vitest, tools, ...own]
    expect(files).toEqual(expect.arrayContaining(expected))
    expect(files.filter((file) => file.split('/').some((part) => part.startsWith('.')))).toEqual([])
  })

  it('names the app in package.json and README.md, where it is replaced, and nowhere else', () => {
    const named = filesIn(join(folder, name)).filter((file) => fileOf(name, file).includes('taskwire-app'))
    expect(named).toEqual(['README.md', 'package.json'])
  })

  it('has the files of its example where it needs no others', () => {
    const { example, files } = SHARED[name]
    for (const file of files)
      expect(fileOf(name, file), file).toBe(readFileSync(join(repository, 'examples', example, file), 'utf8'))
    const { compilerOptions } = readJson(join(folder, name, 'tsconfig.json'))
    expect(compilerOptions).toEqual(readJson(join(repository, 'examples', example, 'tsconfig.json')).compilerOptions)
  })

  it('has the packages of its example, with the versions that are tried here', () => {
    const { dependencies, devDependencies } = readJson(join(folder, name, 'package.json'))
    const ranges: Record<string, string> = { ...dependencies, ...devDependencies }
    const example = readJson(join(repository, 'examples', SHARED[name].example, 'package.json'))
    const ofExample: Record<string, string> = { ...example.dependencies, ...example.devDependencies }
    expect(Object.keys(ranges)).toEqual(expect.arrayContaining(Object.keys(ofExample)))
    // Next builds with TypeScript 5, and is no dependency of this repository.
    const foreign = name === 'next' ? ['next', 'typescript'] : []
    for (const [dependency, range] of Object.entries(ranges)) {
      const version = dependency === 'taskwire' ? root.version : root.devDependencies[dependency]
      const expected = `${dependency === 'typescript' ? '~' : '^'}${version}`
      expect(range, dependency).toBe(foreign.includes(dependency) ? ofExample[dependency] : expected)
    }
  })

  it('has the types of the tools of its server', async () => {
    const out = join(folder, `${name}.gen.ts`)
    const server = await loadServer(name)
    await taskwire(['types', await serve((request) => server.fetch(request)), '--out', out])
    // Of a server that runs, `npm run types` writes the same; `npx vitest -u` writes it without.
    await expect(readFileSync(out, 'utf8')).toMatchFileSnapshot('../../create/templates/react/src/taskwire.gen.ts')
  })
})

/** The server of a template, with our own sources. The nearest tsconfig.json of its file is that of an app. */
async function loadServer(template: Template): Promise<TaskServer> {
  const vite = await createServer({
    configFile: false,
    root: repository,
    appType: 'custom',
    logLevel: 'silent',
    resolve: { alias: { 'taskwire/server': join(repository, 'src/server.ts') } },
    optimizeDeps: { noDiscovery: true },
    server: { middlewareMode: true, ws: false, watch: null },
  })
  const file = template === 'react' ? 'server.ts' : 'lib/reports.ts'
  const { server } = await vite.ssrLoadModule(join(repository, 'examples', SHARED[template].example, file))
  onTestFinished(() => vite.close())
  return server
}

test('the template with Next tells its page to run in the browser, and is otherwise that of Vite', () => {
  expect(fileOf('next', 'app/report.tsx')).toBe(`'use client'\n\n${fileOf('react', 'src/report.tsx')}`)
  for (const file of ['client.ts', 'report.test.tsx', 'taskwire.gen.ts'])
    expect(fileOf('next', `app/${file}`), file).toBe(fileOf('react', `src/${file}`))
})

test('the command has the version of the package that its apps install', () => {
  expect(readJson(join(repository, 'create/package.json')).version).toBe(root.version)
})
