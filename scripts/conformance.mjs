// The official conformance suite: `npm run conformance`, or `npm run conformance -- server` for one of server, gateway, client, lite, auth.
// Its server scenarios for 2026-07-28, those of the Tasks extension included, run against the server with the tools that the
// suite asks for: with tasks in memory, and over Redis and Postgres with a queue and a worker; and against a gateway in front of it,
// and in front of the same server without tasks.
// Its client scenarios run against the SDK's client, bare and over `withTasks`, which must pass whatever the bare one does,
// and against the client of `taskwire/lite`; those of authorization against `createTaskClient({ url, authProvider })`.
// What does not pass, or does not apply, has its reason in conformance-expected.json; a reason that is not needed fails.
// The suite needs Node 22; npx brings it, so that it does not stand in for the Node of any other script. It starts a client for each
// scenario, so npx is asked once where both are, and the clients are built once.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv, env, execPath, exit } from 'node:process'
import { createInterface } from 'node:readline'
import { build } from 'vite'

/** @typedef {{ id: string, name: string, status: string, errorMessage?: string }} Check */
/** @typedef {Record<'server' | 'gateway' | 'gateway-plain' | 'client' | 'lite' | 'auth', Record<string, string>>} Expected */

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const REVISION = '2026-07-28'
const VARIANTS = ['bare', 'tasks']
const TIMEOUT_MS = 5 * 60_000
/** Where the server keeps its tasks. */
const STORES = ['memory', 'redis', 'postgres']
const hasRedis = env['REDIS_URL'] !== undefined || spawnSync('redis-server', ['--version']).status === 0

/** @type {Expected} */
const expected = JSON.parse(readFileSync(new URL('conformance-expected.json', import.meta.url), 'utf8'))
expected['gateway-plain'] = { ...expected.gateway, ...expected['gateway-plain'] }
/** @type {Record<string, string>} */
const clients = {
  bare: 'conformanceClient',
  tasks: 'conformanceClient',
  lite: 'conformanceLite',
  auth: 'conformanceAuth',
}
/** Where the built clients find their packages. A relative path: the suite cuts a command at its spaces. */
const BUILT = 'node_modules/.conformance'
const results = mkdtempSync(join(tmpdir(), 'conformance-'))
/** @type {string[]} */
const problems = []

/** @returns {string[]} Node 22, and the suite that it runs */
function findSuite() {
  const print = 'command -v node && command -v conformance'
  const { stdout } = spawnSync('npx', ['-y', '-p', 'node@22', '-p', SUITE, '-c', print], { encoding: 'utf8' })
  return stdout.trim().split('\n')
}

const [node22 = '', conformance = ''] = findSuite()
if (conformance === '') {
  console.error('Conformance: the suite could not be installed. Is the registry within reach?')
  exit(1)
}

/**
 * @param {string[]} words
 * @returns {Promise<string>} what the suite printed. It also fails where a scenario does: the checks tell which.
 */
function suite(...words) {
  return new Promise((resolve) => {
    const options = { timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 }
    execFile(node22, [conformance, ...words], options, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`))
  })
}

function buildClients() {
  const input = [...new Set(Object.values(clients))].map((file) => `test/interop/${file}.ts`)
  return build({
    configFile: false,
    logLevel: 'warn',
    resolve: { tsconfigPaths: true },
    build: { ssr: true, outDir: BUILT, rolldownOptions: { input } },
  })
}

/**
 * @param {string} folder
 * @returns {Map<string, Check[]>} the checks of each scenario. Folders are named `NAME-TIME`, `server-NAME-TIME`.
 */
function readChecks(folder) {
  const path = join(results, folder)
  /** @type {Map<string, Check[]>} */
  const checks = new Map()
  for (const file of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    const [, name] = /^(?:server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z.checks\.json$/.exec(file.replaceAll('\\', '/')) ?? []
    if (name !== undefined) checks.set(name, JSON.parse(readFileSync(join(path, file), 'utf8')))
  }
  return checks
}

/** @param {Check[]} checks */
const passed = (checks) => checks.filter(({ status }) => status === 'SUCCESS').length

/** @param {Check[]} checks */
const failures = (checks) => checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')

/**
 * @param {keyof Expected} side
 * @param {string} scenario
 * @returns {string | undefined} the entry of the file that names the scenario
 */
function entryFor(side, scenario) {
  return Object.keys(expected[side]).find((entry) =>
    entry.endsWith('*') ? scenario.startsWith(entry.slice(0, -1)) : scenario === entry,
  )
}

/**
 * @param {'--server' | '--client'} side
 * @returns {Promise<string[]>} the scenarios that the suite has for this revision, or for an extension
 */
async function listScenarios(side) {
  return [...(await suite('list', side)).matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)]
    .filter(([, , tags = '']) => /extension|2026-07-28/.test(tags))
    .map(([, name = '']) => name)
}

/**
 * Every scenario that the suite has for this revision ran, or there is a reason why not.
 *
 * @param {keyof Expected} side
 * @param {Map<string, Check[]>} checks
 * @param {string[]} listed what the suite has
 * @param {string} [store] that of the server
 */
function judge(side, checks, listed, store = '') {
  if (listed.length === 0) problems.push(`${side}: the suite could not be run. Is the registry within reach?`)
  /** @type {Set<string>} */
  const needed = new Set()
  for (const scenario of new Set([...listed, ...checks.keys()])) {
    const own = checks.get(scenario) ?? []
    const entry = entryFor(side, scenario)
    const bad = failures(own)
    const isGood = bad.length === 0 && passed(own) > 0
    if (!isGood && entry !== undefined) needed.add(entry)
    if (!isGood && entry !== undefined) continue
    console.log(`  ${isGood ? 'ok  ' : 'FAIL'} ${scenario}: ${passed(own)} passed, ${bad.length} failed`)
    if (isGood) continue
    const why = bad.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join('; ')
    problems.push(`${side} ${store} ${scenario}: ${why || 'no check of it passed'}`)
  }
  for (const [entry, reason] of Object.entries(expected[side])) {
    console.log(`  --   ${entry}: ${reason}`)
    if (!needed.has(entry)) problems.push(`${side} ${entry}: in conformance-expected.json without need. Remove it.`)
  }
}

/**
 * @param {string} store
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>} the fixture server on a free port
 */
async function startServer(store) {
  const words = ['scripts/run.mjs', 'test/interop/conformanceServer.ts', store]
  const server = spawn(execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  for await (const line of createInterface({ input: server.stdout })) {
    const [url] = /http:\S+/.exec(line) ?? []
    if (url === undefined) continue
    const stop = async () => {
      server.stdin.end()
      await ended
    }
    return { url, stop }
  }
  throw new Error(`Failed to start the server over ${store}: it ended at once. See above.`)
}

/** @param {string} store */
async function runServer(store) {
  const { url, stop } = await startServer(store)
  try {
    await suite('server', '--url', url, '--requirements', REVISION, '-o', join(results, store))
  } finally {
    await stop()
  }
}

async function judgeServers() {
  /** @type {string[]} */
  const counts = []
  const stores = STORES.filter((store) => store !== 'redis' || hasRedis)
  // One after the other: some checks wait for so many seconds and no more.
  for (const store of stores) await runServer(store)
  const listed = await listScenarios('--server')
  for (const store of stores) {
    console.log(`\n# The server over ${store}, ${REVISION}`)
    const checks = readChecks(store)
    judge('server', checks, listed, store)
    counts.push(`${store} ${countPassed(checks)}`)
  }
  if (!hasRedis) {
    console.log('Redis is left out: install redis-server (apt-get install redis-server), or set REDIS_URL.')
  }
  return counts.join(', ')
}

async function judgeGateway() {
  /** @type {string[]} */
  const counts = []
  const listed = await listScenarios('--server')
  for (const kind of /** @type {const} */ (['gateway', 'gateway-plain'])) {
    const behind = kind === 'gateway' ? 'with tasks' : 'without tasks'
    console.log(`\n# A gateway in front of the server ${behind}, ${REVISION}`)
    await runServer(kind)
    const checks = readChecks(kind)
    judge(kind, checks, listed)
    counts.push(`${countPassed(checks)} (server ${behind})`)
  }
  return counts.join(', ')
}

/** @param {Map<string, Check[]>} checks */
const countPassed = (checks) => [...checks.values()].reduce((sum, own) => sum + passed(own), 0)

/** @param {string} scenario */
async function runClient(scenario, /** @type {string} */ variant) {
  const command = `${execPath} ${BUILT}/${clients[variant]}.js ${variant}`
  const words = ['--scenario', scenario, '--spec-version', REVISION, '-o', join(results, variant)]
  await suite('client', '--command', command, ...words)
}

/** @param {{ scenario: string, variant: string }[]} runs */
async function runClients(runs) {
  const worker = async () => {
    for (let run = runs.shift(); run !== undefined; run = runs.shift()) await runClient(run.scenario, run.variant)
  }
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker))
}

/**
 * @param {'client' | 'lite' | 'auth'} side
 * @returns {Promise<string[]>} the scenarios that are run against it
 */
async function scenariosOf(side) {
  const listed = [...(await suite('list', '--client', '--spec-version', REVISION)).matchAll(/^ {2}- (\S+) \[.+\]$/gm)]
  // A family of scenarios is left out. One that is named alone is run, so that a reason which is not needed is found.
  const isFamily = (/** @type {string | undefined} */ entry) => entry?.endsWith('*') === true
  const alone = Object.keys(expected[side]).filter((entry) => !isFamily(entry))
  const listedNames = listed.map(([, name = '']) => name).filter((name) => !isFamily(entryFor(side, name)))
  const names = [...new Set([...listedNames, ...alone])]
  return side === 'auth' ? names.filter(isAboutAuth) : names
}

const isAboutAuth = (/** @type {string} */ scenario) => scenario.startsWith('auth/')

async function judgeClient() {
  console.log(`\n# A client over withTasks, ${REVISION}`)
  const scenarios = await scenariosOf('client')
  await runClients(scenarios.flatMap((scenario) => VARIANTS.map((variant) => ({ scenario, variant }))))

  const [bare, tasks] = VARIANTS.map(readChecks)
  const key = (/** @type {Check} */ { id, name, status }) => `${id} ${name} ${status}`
  for (const [scenario, checks] of bare ?? []) {
    const own = new Set(tasks?.get(scenario)?.map(key))
    const lost = checks.filter((check) => check.status === 'SUCCESS' && !own.has(key(check)))
    for (const { id, name } of lost) problems.push(`client ${scenario}: only the bare client passes ${id} (${name})`)
  }
  judge('client', tasks ?? new Map(), await listScenarios('--client'))
  return tasks ?? new Map()
}

async function judgeLite() {
  console.log(`\n# The client of taskwire/lite, ${REVISION}`)
  for (const scenario of await scenariosOf('lite')) await runClient(scenario, 'lite')
  const checks = readChecks('lite')
  judge('lite', checks, await listScenarios('--client'))
  return checks
}

async function judgeAuth() {
  console.log(`\n# createTaskClient({ url, authProvider }), ${REVISION}`)
  await runClients((await scenariosOf('auth')).map((scenario) => ({ scenario, variant: 'auth' })))
  const checks = readChecks('auth')
  judge('auth', checks, (await listScenarios('--client')).filter(isAboutAuth))
  return checks
}

try {
  const [, , only] = argv
  if (only !== 'server' && only !== 'gateway') await buildClients()
  /** @type {string[]} */
  const counts = []
  if (only === undefined || only === 'server') counts.push(`Server over ${await judgeServers()}.`)
  if (only === undefined || only === 'gateway') counts.push(`Gateway: ${await judgeGateway()}.`)
  if (only === undefined || only === 'client')
    counts.push(`Client over withTasks: ${countPassed(await judgeClient())}.`)
  if (only === undefined || only === 'lite') counts.push(`taskwire/lite: ${countPassed(await judgeLite())}.`)
  if (only === undefined || only === 'auth')
    counts.push(`createTaskClient signing in: ${countPassed(await judgeAuth())}.`)
  console.log(`\nChecks passed. ${counts.join(' ')}`)
} finally {
  rmSync(results, { recursive: true, force: true })
  rmSync(BUILT, { recursive: true, force: true })
}
for (const problem of problems) console.error(problem)
console.log(problems.length === 0 ? 'Conformance: ok' : `Conformance: ${problems.length} problems`)
exit(problems.length === 0 ? 0 : 1)
