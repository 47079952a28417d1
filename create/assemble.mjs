// Puts the templates together: the files of this folder, and those of examples/ that are the same in an app that is created.
// Their versions are those that this repository is developed with.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const repository = resolve(import.meta.dirname, '..')
const templates = join(import.meta.dirname, 'templates')

/** Of each template: the example that it shares files with, and those files. */
export const SHARED = {
  react: {
    example: 'vite-react',
    files: ['index.html', 'server.ts', 'src/index.css', 'src/questions.tsx', 'vite.config.ts'],
  },
  next: {
    example: 'next',
    files: [
      'app/globals.css',
      'app/layout.tsx',
      'app/mcp/route.ts',
      'app/page.tsx',
      'lib/reports.ts',
      'next.config.ts',
      'tsconfig.json',
    ],
  },
}

/** Files of the template with Next that are those of the one with Vite. */
const FROM_REACT = {
  'app/client.ts': 'src/client.ts',
  'app/questions.tsx': 'src/questions.tsx',
  'app/report.tsx': 'src/report.tsx',
  'app/report.test.tsx': 'src/report.test.tsx',
  'app/taskwire.gen.ts': 'src/taskwire.gen.ts',
  'vitest.config.mts': 'vitest.config.ts',
}

/** Those of them that Next has to be told to run in the browser. */
const IN_THE_BROWSER = ['app/questions.tsx', 'app/report.tsx']

/** @typedef {Record<string, string>} Ranges */

/**
 * Writes the templates into a folder, each into one of its own.
 *
 * @param {string} folder
 */
export function assemble(folder) {
  for (const [name, { example, files }] of Object.entries(SHARED)) {
    const to = join(folder, name)
    cpSync(join(templates, name), to, { recursive: true })
    for (const file of files) copy(join(repository, 'examples', example, file), join(to, file))
    const manifest = JSON.parse(readFileSync(join(to, 'package.json'), 'utf8'))
    const ranges = rangesFrom(example)
    for (const kind of ['dependencies', 'devDependencies']) manifest[kind] = resolveRanges(manifest[kind], ranges)
    writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  }
  for (const [file, from] of Object.entries(FROM_REACT)) {
    const source = readFileSync(join(folder, 'react', from), 'utf8')
    const to = join(folder, 'next', file)
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, IN_THE_BROWSER.includes(file) ? `'use client'\n\n${source}` : source)
  }
}

/** @param {string} from @param {string} to */
function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}

/**
 * Where versions come from: the words that the package.json of a template has in their place.
 *
 * @param {string} example
 * @returns {Record<string, (name: string) => string | undefined>}
 */
function rangesFrom(example) {
  const root = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  const app = JSON.parse(readFileSync(join(repository, 'examples', example, 'package.json'), 'utf8'))
  const versions = { ...root.devDependencies, taskwire: root.version }
  return {
    // TypeScript breaks with minor versions.
    repository: (name) => versions[name] && `${name === 'typescript' ? '~' : '^'}${versions[name]}`,
    // What this repository does not have, or has in a version that the framework does not take.
    example: (name) => app.dependencies[name] ?? app.devDependencies[name],
  }
}

/**
 * @param {Ranges} wanted
 * @param {Record<string, (name: string) => string | undefined>} ranges
 * @returns {Ranges}
 */
function resolveRanges(wanted, ranges) {
  const entries = Object.entries(wanted).map(([name, source]) => {
    const range = ranges[source]?.(name)
    if (range === undefined) throw new Error(`${source} has no version of ${name}.`)
    return [name, range]
  })
  return Object.fromEntries(entries)
}

/** @param {string} folder @returns {string[]} the paths of its files, from there, with / between */
export function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}
