// Tests the tests: `npm run mutation`, or `npm run mutation -- core/record core/time` for some rooms of src, or core/record/merge for
// one file or folder of a room. StrykerJS changes the code in one place at a time, and the unit tests of the room have to
// fail. Prints what no test has noticed and the score; `-- --write` writes the scores of rooms into docs/project/mutation.md.
// What has been found out is kept: the next run tests what has changed since and what has timed out, and `-- --last` prints
// what the last one has found. A survivor that is no lack of a test has its reason in test/mutation/survivors.json. A room
// below the goal fails, and so does a reason that is not needed.
// StrykerJS and the Node that it needs are installed beside the other tools, so that npm install brings neither.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { argv, env, exit } from 'node:process'
import { tableOf } from './budgets.mjs'

/** @typedef {{ status: string, statusReason?: string, replacement: string, coveredBy?: string[], testsCompleted?: number, location: Record<'start' | 'end', { line: number, column: number }> }} Mutant */
/** @typedef {{ files: Record<string, { source: string, mutants: Mutant[] }> }} Report */
/** @typedef {{ file: string, line: number, text: string, code: string, becomes: string }} Survivor `text`: the line */
/** @typedef {{ mutants: number, killed: number, timedOut: number, explained: number, date: string }} Score */

const HOME = 'node_modules/.mutation'
const PAGE = 'docs/project/mutation.md'
const RESULTS = 'test/mutation/results.json'
const GOAL = 85
/** What is known of a task is decided there, in pure functions: nothing keeps their tests from noticing each change. */
const HIGHER_GOALS = new Map([['core/record', 98]])
/** @param {string} room */
const goalOf = (room) => HIGHER_GOALS.get(room) ?? GOAL
/** In the order of the table. */
const ROOMS = [
  'core/protocol',
  'core/record',
  'core/run',
  'core/storage',
  'core/tabs',
  'core/time',
  'core/client',
  'core/wire',
  'sdk',
]

/** A room may lie in a folder. @param {string} room */
const fileOf = (room) => room.replaceAll('/', '-')

const words = argv.slice(2).filter((word) => !word.startsWith('--'))
/** @param {string} part */
const roomOf = (part) => ROOMS.find((room) => part === room || part.startsWith(`${room}/`))
const unknown = words.find((word) => roomOf(word) === undefined)
if (unknown !== undefined) {
  console.error(`There is no room ${unknown}. The rooms are: ${ROOMS.join(', ')}.`)
  exit(2)
}

/**
 * @template T
 * @param {string} path
 * @returns {T}
 */
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

function install() {
  const wanted = readFileSync('test/mutation/package.json', 'utf8')
  const has = existsSync(`${HOME}/package.json`) && readFileSync(`${HOME}/package.json`, 'utf8') === wanted
  if (has && existsSync(`${HOME}/node_modules`)) return
  mkdirSync(HOME, { recursive: true })
  // Vitest is that of the project: two of them would know nothing of each other's tests.
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--legacy-peer-deps']
  cpSync('test/mutation/package.json', `${HOME}/package.json`)
  const { status } = spawnSync('npm', args, { cwd: HOME, stdio: 'inherit', shell: true })
  if (status !== 0) exit(1)
}

/**
 * True where the run took too long, or one of its tests did.
 * @param {Mutant} mutant
 */
const hasTimedOut = ({ status, statusReason = '' }) =>
  status === 'Timeout' || statusReason.includes('Test timed out in')

/**
 * What has timed out is tried again, since the machine may have been busy, and what the run has crashed by: nothing is known of it.
 * @param {string} file
 */
function forgetUndecided(file) {
  if (!existsSync(file)) return
  /** @type {Report} */
  const known = readJson(file)
  const isDecided = (/** @type {Mutant} */ mutant) => !hasTimedOut(mutant) && mutant.status !== 'RuntimeError'
  for (const part of Object.values(known.files)) part.mutants = part.mutants.filter(isDecided)
  writeFileSync(file, JSON.stringify(known))
}

/**
 * The files that are mutated. Of a file `part` says the name without its ending.
 * @param {string} part
 */
const filesOf = (part) => (existsSync(`src/${part}.ts`) ? `src/${part}.ts` : `src/${part}/**/*.ts`)

/**
 * @param {string} room
 * @param {string} part the room, or what of it is mutated
 * @returns {Report | undefined} undefined where the run came to no end
 */
function mutate(room, part) {
  const report = `${HOME}/${fileOf(room)}.report.json`
  const incrementalFile = `${HOME}/${fileOf(room)}.incremental.json`
  forgetUndecided(incrementalFile)
  const config = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false, pool: 'threads' },
    mutate: [filesOf(part), '!src/**/*.test.ts', '!src/**/*.test-d.ts'],
    // The words of errors are for people, and what is computed once at import would take a run of everything for each mutant.
    mutator: { excludedMutations: ['StringLiteral'] },
    ignoreStatic: true,
    coverageAnalysis: 'perTest',
    ignorePatterns: [
      '/demo',
      '/examples',
      '/dist',
      '/scripts',
      '/test/{browser,chaos,fuzz,scale,package,server,interop}',
    ],
    // Vite strips types; nothing is compiled.
    tsconfigFile: 'none.json',
    checkers: [],
    incremental: true,
    incrementalFile,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: report },
    tempDirName: '.vite/mutation',
    concurrency: 2,
    // Generous: on a busy machine a slow run is not to count as one that hangs.
    timeoutMS: 20_000,
    timeoutFactor: 4,
    maxTestRunnerReuse: 400,
    allowConsoleColors: false,
  }
  const file = `${HOME}/${fileOf(room)}.config.json`
  writeFileSync(file, JSON.stringify(config))
  const command = [`${HOME}/node_modules/@stryker-mutator/core/bin/stryker.js`, 'run', file, '--fileLogLevel', 'off']
  const options = { stdio: /** @type {const} */ ('inherit'), env: { ...env, MUTATION_ROOM: room } }
  const { status } = spawnSync(`${HOME}/node_modules/node/bin/node`, command, options)
  return status === 0 ? readJson(report) : undefined
}

/** @param {string} file @param {string} part */
const isOf = (file, part) => file === `src/${part}.ts` || file.startsWith(`src/${part}/`)

/**
 * @param {Report} report
 * @param {string} part
 */
function judge(report, part) {
  const files = Object.entries(report.files).filter(([file]) => isOf(file, part))
  /** @type {Survivor[]} */
  const survivors = []
  /**
   * What may survive another run: it has timed out here, which may be the machine's doing, or is not tried, since the module
   * was loaded before the first test.
   * @type {Survivor[]}
   */
  const undecided = []
  let killed = 0
  let timedOut = 0
  let cutShort = 0
  for (const [file, { source, mutants }] of files) {
    const lines = source.split('\n')
    for (const mutant of mutants) {
      const { status, replacement, location, coveredBy = [], testsCompleted = 0 } = mutant
      const { start, end } = location
      if (status === 'Killed' || status === 'Timeout') killed += 1
      if (status === 'Survived' && testsCompleted < coveredBy.length) cutShort += 1
      const isOneLine = start.line === end.line
      const text = lines[start.line - 1] ?? ''
      const code = text.slice(start.column - 1, isOneLine ? end.column - 1 : undefined)
      const becomes = replacement.replaceAll(/\s+/g, ' ')
      const place = { file, line: start.line, text: text.trim(), code, becomes }
      const isLate = hasTimedOut(mutant)
      if (isLate) timedOut += 1
      if (isLate || status === 'Ignored') undecided.push(place)
      else if (status === 'Survived' || status === 'NoCoverage') survivors.push(place)
    }
  }
  return { survivors, undecided, killed, timedOut, cutShort }
}

/** @typedef {Omit<Survivor, 'line'> & { reason: string }} Reason */
/** @type {Reason[]} */
const reasons = readJson('test/mutation/survivors.json')
/** @type {Record<string, Score>} */
const results = existsSync(RESULTS) ? readJson(RESULTS) : {}
/** @type {string[]} */
const problems = []
if (!argv.includes('--last')) install()
// An hour of work, of which nobody waits for the next second.
setPriority(10)

for (const part of words.length > 0 ? words : ROOMS) {
  console.log(`\n# ${part}`)
  const room = roomOf(part) ?? part
  const last = `${HOME}/${fileOf(room)}.report.json`
  const isLast = argv.includes('--last')
  if (isLast && !existsSync(last)) continue
  const report = isLast ? readJson(last) : mutate(room, part)
  if (report === undefined) {
    problems.push(`${part}: the run came to no end.`)
    continue
  }
  const { survivors, undecided, killed, timedOut, cutShort } = judge(report, part)
  if (cutShort > 0) problems.push(`${part}: ${cutShort} survivors have not run every test that reaches them.`)
  const isMeant = (/** @type {Reason} */ reason, /** @type {Survivor} */ { file, text, code, becomes }) =>
    reason.file === file && reason.text === text && reason.code === code && reason.becomes === becomes
  const open = survivors.filter((survivor) => !reasons.some((reason) => isMeant(reason, survivor)))
  for (const { file, line, code, becomes } of open) console.log(`${file}:${line}  ${code}  =>  ${becomes}`)
  for (const reason of reasons.filter(({ file }) => isOf(file, part))) {
    if ([...survivors, ...undecided].some((place) => isMeant(reason, place))) continue
    problems.push(`${reason.file}: a test notices that ${reason.code} became ${reason.becomes}: it needs no reason.`)
  }
  const mutants = killed + survivors.length
  const goal = goalOf(room)
  if (killed < (mutants * goal) / 100) problems.push(`${part}: less than ${goal} % of the changes were noticed.`)
  const explained = survivors.length - open.length
  const date = (isLast ? statSync(last).mtime : new Date()).toISOString().slice(0, 10)
  if (part === room) results[room] = { mutants, killed, timedOut, explained, date }
  else console.log(`${killed} of ${mutants} were noticed.`)
}

const HEAD = [
  'room',
  'mutants',
  'killed',
  'of these by a timeout',
  'survived',
  'of these with a reason',
  'score',
  'run on',
]
const rows = ROOMS.flatMap((room) => {
  const score = results[room]
  if (score === undefined) return []
  const { mutants, killed, timedOut, explained, date } = score
  const share = `${((100 * killed) / mutants).toFixed(1)} %`
  return [[`\`src/${room}\``, ...[mutants, killed, timedOut, mutants - killed, explained].map(String), share, date]]
})
const table = tableOf([HEAD, ...rows])
const higher = [...HIGHER_GOALS].map(([room, goal]) => `, and ${goal} % in ${room}`).join('')
console.log(`\n${table}\n\nThe goal is ${GOAL} % in each room${higher}.`)

if (argv.includes('--write')) {
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`)
  const page = readFileSync(PAGE, 'utf8')
  writeFileSync(PAGE, page.replace(/(<!-- mutation -->)[\s\S]*(<!-- \/mutation -->)/, `$1\n\n${table}\n\n$2`))
}
for (const problem of problems) console.error(problem)
exit(problems.length > 0 ? 1 : 0)
