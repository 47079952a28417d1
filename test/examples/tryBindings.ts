import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { secondsSince } from './table.js'
import type { Workspace } from './workspace.js'

/** Bindings, and the oldest versions that package.json promises for them. React is in the combinations of the app. */
const BINDINGS = [
  { name: 'Vue', framework: 'vue', query: '@tanstack/vue-query', newest: '^5' },
  { name: 'Svelte', framework: 'svelte', query: '@tanstack/svelte-query', newest: '^6' },
  { name: 'Solid', framework: 'solid-js', query: '@tanstack/solid-query', newest: '^5' },
] as const

type Row = Record<'binding' | 'framework' | 'TanStack Query' | 'outcome', string>

/** Runs the contract of the bindings with the oldest and the newest versions of each framework. */
export async function tryBindings(workspace: Workspace): Promise<readonly Row[]> {
  const repository = resolve(import.meta.dirname, '../..')
  const { peerDependencies: ranges } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  const rows: Row[] = []
  for (const { name, framework, query, newest } of BINDINGS) {
    // The last one of vue: the other is there for npm (docs/decisions/130-supported-versions.md).
    const range = ranges[framework].split(' || ').at(-1)
    const oldest = { [framework]: leastOf(range), [query]: leastOf(ranges[query]) }
    for (const versions of [oldest, { [framework]: range, [query]: newest }]) {
      const start = Date.now()
      const row: Row = { binding: name, framework: '', 'TanStack Query': '', outcome: 'failed' }
      try {
        const folder = await workspace.installPackages(versions)
        row.framework = await versionIn(folder, framework)
        row['TanStack Query'] = await versionIn(folder, query)
        const file = `test/bindings/${name.toLowerCase()}.test.ts`
        const vitest = ['npx', 'vitest', 'run', '--config', 'test/examples/contract.config.ts', file]
        await workspace.run(vitest, repository, { VERSIONS_FROM: folder })
        row.outcome = 'works'
      } catch (error) {
        console.error((error as Error).message)
        process.exitCode = 1
      }
      console.log(`${Object.values(row).join(', ')}: ${secondsSince(start)}`)
      rows.push(row)
    }
  }
  return rows
}

/** The least version of a range such as `^5.92.0`. */
function leastOf(range: string): string {
  return range.replace(/^\^/, '')
}

async function versionIn(folder: string, name: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
  return version
}
