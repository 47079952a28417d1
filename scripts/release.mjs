// What must be true of a tag before it is published, and what its release says: `node scripts/release.mjs v1.2.3` prints the
// section of CHANGELOG.md, and fails where the tag, package.json, create/package.json, src/core/protocol/version.ts and CHANGELOG.md do not name
// one version.
import { readFileSync } from 'node:fs'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'

/**
 * @param {string} tag
 * @param {(path: string) => string} readFile
 * @returns {{ notes: string, problems: string[] }}
 */
export function release(tag, readFile) {
  const version = tag.replace(/^v/, '')
  const problems = []
  if (!/^v\d+\.\d+\.\d+(-[\w.]+)?$/.test(tag)) problems.push(`${tag} is not v and a version.`)
  for (const manifest of ['package.json', 'create/package.json']) {
    const packaged = JSON.parse(readFile(manifest)).version
    if (packaged !== version) problems.push(`${manifest} names ${packaged}.`)
  }
  if (!readFile('src/core/protocol/version.ts').includes(`'${version}'`))
    problems.push(`src/core/protocol/version.ts does not name ${version}.`)
  const notes = section(readFile('CHANGELOG.md'), version)
  if (notes === '') problems.push(`CHANGELOG.md has no section ## [${version}] - DATE with text in it.`)
  return { notes, problems }
}

/**
 * @param {string} changelog
 * @param {string} version
 */
function section(changelog, version) {
  const sections = changelog.split(/^## /m)
  const found = sections.find((text) => text.startsWith(`[${version}] - `)) ?? ''
  return found.split('\n').slice(1).join('\n').trim()
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const { notes, problems } = release(argv[2] ?? '', (path) => readFileSync(path, 'utf8'))
  console.log(notes)
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}
