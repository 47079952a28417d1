// The versions that CI and releases install, with a hash of each package: `.ci/package-lock.json`. It stands there and not in
// front, for it knows the packages of Linux alone (docs/decisions/132-lock-of-ci.md). `.ci/install` installs what it names.
//
//     npm run lock            writes it anew
//     npm run lock:check      compares it with package.json
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv, exit } from 'node:process'

/** @typedef {Record<string, string>} Ranges */
/** @typedef {{ dependencies?: Ranges, devDependencies?: Ranges, peerDependencies?: Ranges, optionalDependencies?: Ranges }} Manifest */

const PATH = '.ci/package-lock.json'

/** @returns {Manifest} */
const manifest = () => JSON.parse(readFileSync('package.json', 'utf8'))

/**
 * @param {Manifest} wanted of package.json
 * @param {Manifest} locked of the lock file
 * @returns {string[]} what is wanted and not locked, or locked and not wanted
 */
function differences(wanted, locked) {
  return /** @type {const} */ (['dependencies', 'devDependencies', 'peerDependencies']).flatMap((kind) => {
    const [want, have] = [wanted[kind] ?? {}, locked[kind] ?? {}]
    const names = new Set([...Object.keys(want), ...Object.keys(have)])
    return [...names].filter((name) => want[name] !== have[name]).map((name) => `${name} (${kind})`)
  })
}

/** Writes what npm resolves package.json to. */
function write() {
  const folder = mkdtempSync(join(tmpdir(), 'taskwire-lock-'))
  try {
    cpSync('package.json', join(folder, 'package.json'))
    const command = 'npm install --package-lock-only --package-lock --omit-lockfile-registry-resolved --ignore-scripts'
    const { status } = spawnSync(command, { cwd: folder, stdio: 'inherit', shell: true })
    if (status !== 0) exit(1)
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
    const packages = Object.entries(/** @type {Record<string, Manifest>} */ (lock.packages))
    for (const [path, entry] of packages) leaveOutOtherPlatforms(path, entry, (at) => at in lock.packages)
    writeFileSync(PATH, `${JSON.stringify(lock, null, 2)}\n`)
    console.log(`${PATH} names ${packages.length - 1} packages.`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Optional packages that could not be resolved are those of other platforms: `npm ci` would miss them.
 *
 * @param {string} path
 * @param {Manifest} entry
 * @param {(path: string) => boolean} isLocked
 */
function leaveOutOtherPlatforms(path, entry, isLocked) {
  const parents = path
    .split('/node_modules/')
    .map((_, index, parts) => parts.slice(0, index + 1).join('/node_modules/'))
  for (const name of Object.keys(entry.optionalDependencies ?? {})) {
    const places = [...parents.map((parent) => `${parent}/node_modules/${name}`), `node_modules/${name}`]
    if (!places.some(isLocked)) delete entry.optionalDependencies?.[name]
  }
}

if (!argv.includes('--check')) write()
const missing = differences(manifest(), JSON.parse(readFileSync(PATH, 'utf8')).packages[''])
if (missing.length > 0) {
  console.error(`${PATH} differs from package.json: ${missing.join(', ')}. Run npm run lock.`)
  exit(1)
}
