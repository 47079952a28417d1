import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isOfStarters } from '../scripts/docs.mjs'
import { release } from '../scripts/release.mjs'

const workflows = readdirSync('.github/workflows').map((name) => `.github/workflows/${name}`)

describe('the workflows', () => {
  test.each(workflows)('%s names each action by a commit, which no tag can move', (path) => {
    const actions = [...readFileSync(path, 'utf8').matchAll(/uses: (\S+)/g)].map(([, action]) => action)
    expect(actions.length).toBeGreaterThan(0)
    for (const action of actions) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/)
  })

  test.each(workflows)('%s leaves no credentials behind, and may write only where it says why', (path) => {
    const text = readFileSync(path, 'utf8')
    expect(text.match(/persist-credentials: false/g)?.length).toBe(text.match(/uses: actions\/checkout@/g)?.length)
    expect(text).toContain('\npermissions:\n  contents: read\n')
    for (const line of text.split('\n').filter((it) => it.includes(': write'))) expect(line).toMatch(/# \S/)
  })
})

/** The text of a job of the workflow that releases. */
const releaseJob = (name: string) => {
  const jobs = readFileSync('.github/workflows/release.yml', 'utf8').split(/^ {2}(?=\w+:$)/m)
  return jobs.find((job) => job.startsWith(`${name}:\n`)) ?? ''
}

describe('the workflow that publishes', () => {
  const commands = (job: string) => [...job.matchAll(/run: (.+)/g)].map(([, command]) => command)

  test('[EDGE-52] runs nothing of the repository or of its dependencies where npm trusts it', () => {
    const job = releaseJob('publish')
    expect(job).toContain('id-token: write')
    expect(job).not.toContain('actions/checkout')
    expect(commands(job)).toEqual([
      'npm publish --ignore-scripts ./packed/taskwire-*.tgz',
      'npm publish --ignore-scripts ./packed/create-taskwire-*.tgz',
      expect.stringMatching(/^gh release create .* --notes-file packed\/notes\.md$/),
    ])
  })

  test('[EDGE-52] publishes the files that were packed before the tests and installed by them', () => {
    const job = releaseJob('test')
    expect(job).not.toContain('id-token')
    const steps = commands(job)
    const packs = steps.indexOf('npm pack --pack-destination packed && npm pack ./create --pack-destination packed')
    expect(packs).toBeGreaterThan(steps.indexOf('.ci/install'))
    expect(steps.indexOf('.ci/run')).toBeGreaterThan(packs)
    expect(job).toMatch(/run: \.ci\/run\n\s+env:\n\s+LOCKED: "1"\n\s+PACKED: packed\n/)
    const artifact = /artifact@\w+ # \S+\n\s+with:\n\s+name: packed\n\s+path: packed\n/
    expect(job).toMatch(artifact)
    expect(releaseJob('publish')).toMatch(artifact)
    expect(readFileSync('test/setup/packed.ts', 'utf8')).toContain("process.env['PACKED']")
  })
})

describe('the checks that run after the packing', () => {
  test('[EDGE-52] read the pages of the command that creates apps, and no copy that packing has put beside them', () => {
    expect(['create/README.md', 'create/templates/react/README.md'].filter(isOfStarters)).toHaveLength(2)
    const copies = ['create/CHANGELOG.md', 'create/dist/templates/react/README.md', 'create/dist/README.md']
    expect(copies.filter(isOfStarters)).toEqual([])
  })
})

describe('the lock file of CI', () => {
  test('names a hash for each package, and no address of a registry', () => {
    const { packages } = JSON.parse(readFileSync('.ci/package-lock.json', 'utf8')) as {
      packages: Record<string, { integrity?: string; resolved?: string }>
    }
    const locked = Object.entries(packages).filter(([path]) => path !== '')
    expect(locked.length).toBeGreaterThan(100)
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })
})

describe('release', () => {
  const files: Record<string, string> = {
    'package.json': '{ "version": "1.2.3" }',
    'create/package.json': '{ "version": "1.2.3" }',
    'src/core/protocol/version.ts': "export const VERSION = '1.2.3'\n",
    'CHANGELOG.md':
      '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2027-01-02\n\n### Fixed\n\n- A poll.\n\n## [1.2.2] - 2027-01-01\n\n- Old.\n',
  }
  const releaseWith = (changes: Record<string, string>, tag = 'v1.2.3') =>
    release(tag, (path) => ({ ...files, ...changes })[path] ?? '')

  test('prints the section of the version and finds nothing wrong', () => {
    expect(releaseWith({})).toEqual({ notes: '### Fixed\n\n- A poll.', problems: [] })
  })

  test.each([
    ['a tag that is no version', {}, '1.2.3', '1.2.3 is not v and a version.'],
    [
      'another version in package.json',
      { 'package.json': '{ "version": "1.2.4" }' },
      'v1.2.3',
      'package.json names 1.2.4.',
    ],
    [
      'another version of the command that creates apps',
      { 'create/package.json': '{ "version": "1.2.2" }' },
      'v1.2.3',
      'create/package.json names 1.2.2.',
    ],
    [
      'another version in the code',
      { 'src/core/protocol/version.ts': "'1.2.2'" },
      'v1.2.3',
      'src/core/protocol/version.ts does not name 1.2.3.',
    ],
    [
      'no section in the changelog',
      { 'CHANGELOG.md': '## [Unreleased]\n\n- A poll.\n' },
      'v1.2.3',
      'CHANGELOG.md has no section ## [1.2.3] - DATE with text in it.',
    ],
  ])('refuses %s', (_, changes, tag, problem) => {
    expect(releaseWith(changes, tag).problems).toEqual([problem])
  })
})
