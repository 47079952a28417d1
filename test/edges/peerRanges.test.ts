import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  peerDependencies: Record<string, string>
}
const page = readFileSync('docs/versions.md', 'utf8')

/** The versions in a column of docs/versions.md, of rows that begin like this and work. */
function triedVersions(row: RegExp, column: number): string[] {
  const rows = page.split('\n').filter((line) => row.test(line) && /works/.test(line))
  return rows.map((line) => line.split('|')[column]?.trim() ?? '')
}

/** The ranges of a package. npm wants 2.6.14 among those of vue, which it puts into apps without Vue (decision 130). */
function promised(name: string): string[] {
  const ranges = peerDependencies[name]?.split(' || ') ?? []
  return ranges.filter((range) => range !== '2.6.14').map((range) => range.slice(1))
}

it.each([
  ['react', /^\| \d/, 2],
  ['@tanstack/react-query', /^\| \d/, 3],
  ['@modelcontextprotocol/client', /^\| \d/, 4],
  ['vue', /^\| Vue/, 2],
  ['@tanstack/vue-query', /^\| Vue/, 3],
  ['svelte', /^\| Svelte/, 2],
  ['@tanstack/svelte-query', /^\| Svelte/, 3],
  ['solid-js', /^\| Solid/, 2],
  ['@tanstack/solid-query', /^\| Solid/, 3],
])(
  '[EDGE-47] the least version of %s that package.json allows works, by the matrix of versions',
  (name, row, column) => {
    const [least] = promised(name)
    expect(triedVersions(row, column)).toContain(least)
  },
)

it('[EDGE-47] a binding is promised for the major versions of its framework that the matrix tries', () => {
  const majors = (versions: string[]) => [...new Set(versions.map((version) => version.split('.')[0]))].sort()
  expect(majors(promised('react'))).toEqual(majors(triedVersions(/^\| \d/, 2)))
  expect(majors(promised('vue'))).toEqual(majors(triedVersions(/^\| Vue/, 2)))
  expect(majors(promised('svelte'))).toEqual(majors(triedVersions(/^\| Svelte/, 2)))
  expect(majors(promised('@tanstack/svelte-query'))).toEqual(majors(triedVersions(/^\| Svelte/, 3)))
  expect(majors(promised('solid-js'))).toEqual(majors(triedVersions(/^\| Solid/, 2)))
})

it('[EDGE-47] the SDK client that MCP Inspector pins works, by the matrix of versions', () => {
  expect(triedVersions(/^\| \d/, 4)).toContain('2.3.1')
})
