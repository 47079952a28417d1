import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from '../../seeded/seededRandom.js'
import { startPostgres, startRedis } from '../../server/support/databases.js'
import { freePort } from '../../support/freePort.js'
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.js'
import { untilListening } from '../../support/untilListening.js'
import { type Call, createClient } from './calls.js'
import { type Backend, writeDocumentedFiles } from './documentedFiles.js'
import { faultsOf, pause, type World } from './faults.js'
import { startFleet } from './fleet.js'
import { judge } from './judge.js'

/** What is played. */
export interface ScaleChaosOptions {
  readonly backend: Backend
  readonly seed: number
  readonly tasks: number
  readonly webs: number
  readonly workers: number
  /** About how many ms pass between two faults. */
  readonly faultEveryMs: number
  /** Over how many ms the calls are spread at least, so that each meets some fault. @default 0 */
  readonly spreadMs?: number
  /** How long after the last fault everything has to be over, in ms. */
  readonly patienceMs: number
}

/** What came of it: every row of `broken` has to be 0. */
export interface ScaleChaosReport {
  readonly broken: Record<string, number>
  readonly faults: Record<string, number>
  readonly ended: Record<string, number>
  /** What broke, in words. */
  readonly stories: readonly string[]
  readonly seconds: number
}

/** How many clients call at the same time. */
const LANES = 10
const TOOLS = ['effect', 'pure', 'asking']
/** A small part of the lease, as the documentation asks for. */
const SKEW_MS = 150
/** How long processes run before their database lets them in. */
const EARLY_MS = 5000

/** Web and worker processes of the documentation over a real database, with everything going wrong that can. */
export async function runScaleChaos(options: ScaleChaosOptions): Promise<ScaleChaosReport> {
  const { backend, webs, workers } = options
  const random = seededRandom(options.seed)
  const folder = mkdtempSync(join(tmpdir(), 'taskwire-chaos-'))
  const log = join(folder, 'world')
  writeFileSync(log, '')
  const files = writeDocumentedFiles(backend)
  const database = await (backend === 'redis' ? startRedis() : startPostgres())
  const proxies = await startProxies(database.url, webs + workers)
  const ports = await Promise.all(Array.from({ length: webs }, freePort))
  const envOf = (proxy: TcpProxy | undefined, skewMs: number) => {
    const url = new URL(database.url)
    url.port = String(proxy?.port)
    return { DATABASE_URL: url.href, REDIS_URL: url.href, CHAOS_LOG: log, CHAOS_SKEW_MS: String(skewMs) }
  }
  const skewOf = () => Math.round((random() * 2 - 1) * SKEW_MS)
  const web = startFleet({
    program: files.web,
    size: webs,
    env: (place) => ({ ...envOf(proxies[place], skewOf()), PORT: String(ports[place]) }),
  })
  const work = startFleet({
    program: files.worker,
    size: workers,
    env: (place) => envOf(proxies[webs + place], skewOf()),
  })
  try {
    await Promise.all(ports.map((port) => untilListening(port, 120_000)))
    while (!work.isWhole || !web.isWhole) await pause(100)
    await pause(EARLY_MS)
    for (const proxy of proxies) proxy.set('pass')
    const urls = ports.map((port) => `http://127.0.0.1:${port}/mcp`)
    return await play({ backend, database, web, work, proxies, random }, urls, log, options)
  } finally {
    await Promise.all([web.stop(), work.stop()])
    await Promise.all(proxies.map((proxy) => proxy.close()))
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
    files.remove()
  }
}

/** Each refuses connections, as if the database had not been started. */
function startProxies(url: string, count: number): Promise<TcpProxy[]> {
  const port = Number(new URL(url).port)
  return Promise.all(Array.from({ length: count }, () => startTcpProxy(port, 'reset')))
}

async function play(world: World, urls: readonly string[], log: string, options: ScaleChaosOptions) {
  const { tasks, faultEveryMs, patienceMs, spreadMs = 0 } = options
  const { web, work, random } = world
  const begun = performance.now()
  const calls: Call[] = Array.from({ length: tasks }, (_, index) => ({
    tool: TOOLS[index % TOOLS.length] ?? '',
    key: `key-${index}`,
  }))
  const client = createClient(urls, random)
  const schedule = startFaults(world, faultEveryMs)
  const waiting = [...calls]
  const begin = async () => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      await client.start(call, 100 + random() * 400, performance.now() + patienceMs)
      await pause(random() * (200 + (2 * spreadMs * LANES) / tasks))
    }
  }
  let isLooking = true
  const looking = client.look(calls, () => !isLooking, Number.POSITIVE_INFINITY)
  await Promise.all(Array.from({ length: LANES }, begin))
  // Until each fault has come and most work is done, then everybody is let alone.
  const enough = () => schedule.isComplete() && calls.filter(({ end }) => end !== undefined).length >= tasks * 0.8
  const until = performance.now() + 120_000
  while (!enough() && performance.now() < until) await pause(200)
  await schedule.stop()
  isLooking = false
  await looking
  await client.look(calls, () => calls.every(({ end }) => end !== undefined), performance.now() + patienceMs)
  const seconds = (performance.now() - begun) / 1000
  const broken = await judge(calls, client, readFileSync(log, 'utf8'), [web, work])
  const ended: Record<string, number> = { 'refusals with 503 or 429': client.refusals }
  for (const { end, tool } of calls) {
    const how =
      end?.['status'] === 'failed' ? `failed: ${tool}: ${end['statusMessage']}` : String(end?.['status'] ?? 'working')
    ended[how] = (ended[how] ?? 0) + 1
  }
  const stories = [...client.lies, ...web.stories, ...work.stories]
  return { broken, faults: schedule.counts, ended, stories, seconds }
}

/** Plays each kind of fault once, then by chance; two may overlap. */
function startFaults(world: World, everyMs: number) {
  const kinds = faultsOf(world)
  const names = Object.keys(kinds)
  const counts: Record<string, number> = {}
  const open = new Map<string, Promise<void>>()
  let isPlaying = true

  async function run(): Promise<void> {
    while (isPlaying) {
      await pause(everyMs * (0.5 + world.random()))
      if (!isPlaying) return
      // On a slow machine, there would be no process left that works.
      const fleetOf = (name: string) => (name.endsWith('worker') ? world.work : world.web)
      const possible = names.filter((name) => !open.has(name) && (!name.startsWith('SIG') || fleetOf(name).isWhole))
      const byChance = possible[Math.floor(world.random() * possible.length)]
      const name = possible.find((one) => counts[one] === undefined) ?? byChance ?? ''
      counts[name] = (counts[name] ?? 0) + 1
      // The database may be away: that is a fault, too.
      const done = Promise.resolve(kinds[name]?.()).catch(() => {})
      open.set(name, done)
      void done.then(() => open.delete(name))
    }
  }

  const playing = run()
  return {
    counts,
    isComplete: () => names.every((name) => counts[name] !== undefined),
    async stop() {
      isPlaying = false
      await playing
      await Promise.all(open.values())
    },
  }
}
