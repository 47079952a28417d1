import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  TaskCancelledError,
  type TaskClient,
  TaskExpiredError,
  type ToolCall,
  ToolCallInterruptedError,
} from 'taskwire'
import { createTaskClient } from 'taskwire/bridge'
import { defineTool } from 'taskwire/server'
import { createLiveServer } from 'taskwire/testing'
import { z } from 'zod'
import { seededRandom } from '../seeded/seededRandom.js'
import { startPostgres, startRedis } from '../server/support/databases.js'
import { type HttpRequest, startHttpServer } from '../support/httpServer.js'

export interface ProcessChaosOptions {
  readonly kind: 'redis' | 'postgres'
  readonly calls: number
  readonly seed: number
  /** How many calls are started in a second. */
  readonly rate?: number
  /**
   * How long a `tools/call` may be on its way to the server, and its answer to the record, in ms: longer where the processes get little
   * time.
   */
  readonly onTheWayMs?: number
}

export interface ProcessChaosReport {
  readonly completed: number
  /** Of calls that their page has cancelled. */
  readonly cancelled: number
  /** At the server that knows no keys, where a process was killed or frozen while it called the tool: nobody can know whether it runs. */
  readonly interrupted: number
  readonly kills: number
  readonly stops: number
  /** What must not be. */
  readonly problems: readonly string[]
}

const LEASE_MS = 3000
const NAMES = ['A', 'B', 'C', 'D']
const USERS = 8
/** Every other user has a server that does not know calls by their keys: what was interrupted there cannot be sent again. */
const hasKeys = (user: string | null): boolean => Number(user?.at(-1)) % 2 === 0
/** How long a load balancer waits for a process that does not answer, in ms. */
const CUT_MS = 4000
/** How long all calls may take after the last fault, in ms. */
const PATIENCE_MS = 120_000
/** How long pages and servers may take after that until they agree, in ms. */
const REST_MS = 30_000
/** The phases of a call that has ended. */
const END = /^(completed|failed|cancelled|ended)$/
/** So long runs a tool whose call is to be cancelled: until the end, unless it is. */
const LONG_MS = 60 * 60 * 1000

/** What happens to a process no longer before or after its `tools/call` is told beside a call that ended as it must not, in ms. */
const NEAR_MS = 15_000

/** A process was killed, or frozen; by `performance.now()`. */
interface Fault {
  readonly name: string
  readonly isKill: boolean
  readonly from: number
  readonly until: number
}

/** A process has lost a lease; `lostAt` in ms since the epoch. */
interface LeaseLoss {
  readonly name: string
  readonly lock: string
  readonly lostAt: number
}

interface Backend {
  /** One that begins in the place of another has another name. */
  readonly name: string
  child: ChildProcess
  url: string
  isFrozen: boolean
  /** Aborted when the load balancer gives the process up. */
  cut: AbortController
}

/**
 * Real processes of a backend over a real database, which are killed and frozen at random, behind a load balancer that sends each
 * request of a page to any of them; and two pages of each user, which often start the same call at the same time, answer what it asks, and
 * cancel one of seven.
 */
export async function playProcesses({
  kind,
  calls,
  seed,
  rate = 12,
  onTheWayMs = 2000,
}: ProcessChaosOptions): Promise<ProcessChaosReport> {
  const random = seededRandom(seed)
  const upTo = (count: number) => Math.floor(random() * count)
  const runs = new Map<string, number>()
  const running = new Set<string>()
  const work = defineTool({
    name: 'work',
    taskSupport: 'optional',
    inputSchema: z.object({ key: z.string(), ms: z.number(), asks: z.boolean() }),
    handler: async ({ key, ms, asks }, { sleep: wait, elicit }) => {
      runs.set(key, (runs.get(key) ?? 0) + 1)
      running.add(key)
      try {
        if (asks) await elicit({ message: 'Go on?', requestedSchema: z.object({ ok: z.boolean() }) })
        await wait(ms)
      } finally {
        running.delete(key)
      }
      return { content: [{ type: 'text', text: key }] }
    },
  })
  const database = await (kind === 'redis' ? startRedis() : startPostgres())
  const server = createLiveServer({ tools: [work], pollIntervalMs: 500 })
  const serverWithoutKeys = createLiveServer({ tools: [work], pollIntervalMs: 500, idempotentCalls: false })
  const mcp = await startHttpServer({
    fetch: (request) => (hasKeys(request.headers.get('x-user')) ? server : serverWithoutKeys).fetch(request),
  })
  const backends = new Map<string, Backend>()
  const losses: LeaseLoss[] = []

  let begun = 0
  async function begin(place: string): Promise<void> {
    begun += 1
    const name = `${place}${begun}`
    const args = ['scripts/run.mjs', 'test/backend/process.ts', kind, database.url, mcp.url, String(LEASE_MS), name]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface({ input: child.stdout })
    const [url] = (await once(lines, 'line')) as [string]
    lines.on('line', (line) => losses.push({ name, ...(JSON.parse(line) as Omit<LeaseLoss, 'name'>) }))
    backends.set(place, { name, child, url, isFrozen: false, cut: new AbortController() })
  }

  /** Any process that the load balancer takes for alive. */
  function choose(): Backend {
    const all = [...backends.values()].filter(({ cut }) => !cut.signal.aborted)
    const chosen = all[upTo(all.length)]
    if (chosen === undefined) throw new TypeError('fetch failed')
    return chosen
  }

  function openPage(user: string): TaskClient {
    const fetch = async (_: string | URL, init: RequestInit = {}) => {
      const { url, cut } = choose()
      const headers = { ...(init.headers as Record<string, string>), 'x-user': user }
      const signals = [cut.signal, ...(init.signal ? [init.signal] : [])]
      return globalThis.fetch(url, { ...init, headers, signal: AbortSignal.any(signals) })
    }
    return createTaskClient({ url: 'http://localhost/api/calls', fetch, crossTab: false })
  }

  const faults: Fault[] = []
  async function disturb(): Promise<void> {
    const alive = [...backends].filter(([, { cut, isFrozen }]) => !cut.signal.aborted && !isFrozen)
    const [place, backend] = alive[upTo(alive.length)] ?? []
    // Another one has to be there for the pages.
    if (place === undefined || backend === undefined || alive.length < 2) return
    const isKill = random() < 0.5
    const from = performance.now()
    const fault = { name: backend.name, isKill, from, until: isKill ? from : Number.POSITIVE_INFINITY }
    faults.push(fault)
    if (isKill) {
      backend.child.kill('SIGKILL')
      backend.cut.abort()
      await begin(place)
      return
    }
    backend.isFrozen = true
    backend.child.kill('SIGSTOP')
    const frozenMs = 500 + upTo(3 * LEASE_MS)
    await sleep(Math.min(frozenMs, CUT_MS))
    if (frozenMs > CUT_MS) backend.cut.abort()
    await sleep(Math.max(0, frozenMs - CUT_MS))
    backend.child.kill('SIGCONT')
    fault.until = performance.now()
    backend.isFrozen = false
    backend.cut = new AbortController()
  }

  const started: { readonly key: string; readonly user: string; readonly outcome: Promise<string>; shown(): string }[] =
    []
  /** The keys of calls that a page has cancelled. */
  const unwanted = new Set<string>()

  /** What must not be once all calls have ended: that a page shows another end than the other one of its user, or none, or that a tool still runs. */
  function* unrest(): Iterable<string> {
    for (const [at, [one, other]] of pages.entries()) {
      const user = `user-${at}`
      const ofOther = phasesOf(other)
      for (const [key, phase] of phasesOf(one)) {
        const ends = [phase, ofOther.get(key) ?? phase]
        const isTold = ends.every((end) => END.test(end))
        // One that has not seen the call run learns no more than that it has ended.
        const isSame = ends[0] === ends[1] || ends.includes('ended')
        // One that was interrupted may be found again, and nobody cancels it any longer.
        if ((!isTold || !isSame) && !mayBeInterrupted(key, user))
          yield `${key} of ${user} is ${ends.join(' in one page, and in the other ')}; ${troubleAround(key, user)}`
      }
    }
    for (const { key, user } of started)
      if (running.has(key) && !mayBeInterrupted(key, user))
        yield `${key} of ${user} was cancelled, and runs; ${troubleAround(key, user)}`
  }

  /** Everybody may take a while to hear of the end. */
  async function untilRest(): Promise<readonly string[]> {
    for (const until = performance.now() + REST_MS; performance.now() < until; await sleep(500))
      if ([...unrest()].length === 0) return []
    return [...unrest()]
  }

  const callsOf = (key: string, user: string) =>
    mcp.requests.filter(
      ({ method, body, headers }) =>
        method === 'tools/call' && headers.get('x-user') === user && Object(body.params?.['arguments']).key === key,
    )

  /**
   * What befell the process that called the tool, and when: its faults, before the request came and after it was answered, and the
   * leases of calls that it has lost, since a process that gets no time loses them, too.
   */
  function troubleAround(key: string, user: string): string {
    const told = callsOf(key, user).map(({ headers, arrivedAt, answeredAt }) => {
      const process = headers.get('x-process')
      const end = answeredAt || Number.POSITIVE_INFINITY
      const near = faults.flatMap(({ name, isKill, from, until }) => {
        if (name !== process || until < arrivedAt - NEAR_MS || from > end + NEAR_MS) return []
        const when =
          from > end
            ? `${Math.round(from - end)} ms after the answer`
            : `${Math.round(from - arrivedAt)} ms after the request`
        return `${isKill ? 'killed' : `frozen for ${Math.round(until - from)} ms`} ${when}`
      })
      const lost = losses
        .filter(({ name, lock }) => name === process && lock.includes(':call:'))
        .map(({ lostAt }) => Math.round(lostAt - performance.timeOrigin - arrivedAt))
        .filter((ms) => ms > -NEAR_MS && ms < end - arrivedAt + NEAR_MS)
      const answer = answeredAt ? `answered after ${Math.round(answeredAt - arrivedAt)} ms` : 'never answered'
      return `${process}: ${[answer, ...near].join(', ')}, leases of calls lost after [${lost.join(', ')}] ms`
    })
    return `${told.length} tools/call: ${told.join('; ')}`
  }

  /** True where the process that called the tool was killed or frozen while the call was on its way, or before it was recorded. */
  function mayBeInterrupted(key: string, user: string): boolean {
    const sent = callsOf(key, user)
    const isDuring = ({ arrivedAt, answeredAt, headers }: HttpRequest) =>
      faults.some(
        ({ name, isKill, from, until }) =>
          headers.get('x-process') === name &&
          from <= (answeredAt || Number.POSITIVE_INFINITY) + onTheWayMs &&
          // What a killed process has sent arrives, however late.
          (isKill || until >= arrivedAt - onTheWayMs),
      )
    return !hasKeys(user) && (sent.length === 0 || sent.some(isDuring))
  }

  const pages = Array.from(
    { length: USERS },
    (_, user) => [openPage(`user-${user}`), openPage(`user-${user}`)] as const,
  )
  try {
    await Promise.all(NAMES.map(begin))
    let isOver = false
    const disturbing = (async () => {
      const all: Promise<void>[] = []
      while (!isOver) {
        await sleep(500 + upTo(1500))
        all.push(disturb())
      }
      await Promise.all(all)
    })()
    for (let at = 0; at < calls; at++) {
      const user = upTo(USERS)
      const [one, other] = pages[user] ?? []
      const key = `call-${at}`
      const isUnwanted = random() < 0.15
      const ms = random() < 0.3 ? 0 : upTo(4000)
      const args = { key, ms: isUnwanted ? LONG_MS : ms, asks: random() < 0.2 }
      const start = (page: TaskClient | undefined) => {
        if (page === undefined) return
        const call = page.startToolCall({ name: 'work', arguments: args }, { key })
        if (page === one) answerAll(call)
        // Both do: else the start of the other page would make what one cancels before the backend knows of it.
        if (isUnwanted) cancelIn(call, upTo(4000))
        const shown = () => {
          const { phase, network } = call.getState()
          return `${phase}, ${network}, the page ${page.store.getState().connection.status}`
        }
        started.push({ ...{ key, user: `user-${user}`, shown }, outcome: outcomeOf(call.result) })
      }
      if (isUnwanted) unwanted.add(key)
      start(one)
      if (random() < 0.3) start(other)
      await sleep((1000 / rate) * 2 * random())
    }
    isOver = true
    await disturbing
    const patience = sleep(PATIENCE_MS, 'no end', { ref: false })
    const outcomes = await Promise.all(
      started.map(async ({ outcome, ...call }) => ({ ...call, outcome: await Promise.race([outcome, patience]) })),
    )
    const countOf = (wanted: string) => outcomes.filter(({ outcome }) => outcome === wanted).length
    const problems = [
      ...[...runs].flatMap(([key, count]) => (count > 1 ? [`the tool has run ${count} times for ${key}`] : [])),
      ...outcomes.flatMap(({ key, user, outcome, shown }) => {
        const isRight = outcome === (unwanted.has(key) ? 'cancelled' : 'completed')
        const mayBe = isRight || (outcome === 'interrupted' && mayBeInterrupted(key, user))
        return mayBe ? [] : [`${key} of ${user} ended with: ${outcome} (${shown()}); ${troubleAround(key, user)}`]
      }),
      ...outcomes.flatMap(({ key, outcome }) =>
        outcome === 'completed' && !runs.has(key) ? [`${key} completed without a run of the tool`] : [],
      ),
      ...(await untilRest()),
    ]
    const kills = faults.filter(({ isKill }) => isKill).length
    return {
      ...{ completed: countOf('completed'), cancelled: countOf('cancelled'), interrupted: countOf('interrupted') },
      ...{ kills, stops: faults.length - kills, problems },
    }
  } finally {
    await Promise.all(pages.flat().map((page) => page.close()))
    for (const { child } of backends.values()) child.kill('SIGKILL')
    await mcp.close()
    await database.stop()
  }
}

/** Answers what a call asks, again and again where that is refused: it may have been answered elsewhere. */
function answerAll(call: ToolCall): void {
  call.subscribe(({ inputRequests, inputResponses }) => {
    for (const inputKey of Object.keys(inputRequests))
      if (inputResponses[inputKey] === undefined)
        call.respond(inputKey, { action: 'accept', content: { ok: true } }).catch(() => {})
  })
}

function cancelIn(call: ToolCall, ms: number): void {
  void sleep(ms).then(() => call.cancel().catch(() => {}))
}

function phasesOf(page: TaskClient): Map<string, string> {
  return new Map(Object.values(page.store.getState().calls).map(({ key = '', phase }) => [key, phase]))
}

async function outcomeOf(result: Promise<unknown>): Promise<string> {
  try {
    await result
    return 'completed'
  } catch (error) {
    if (error instanceof TaskCancelledError) return 'cancelled'
    // A tool that has answered at once leaves no record: nobody knows the call where its process is gone.
    if (error instanceof TaskExpiredError) return 'interrupted'
    return error instanceof ToolCallInterruptedError ? 'interrupted' : String(error)
  }
}
