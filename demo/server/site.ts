import type { TaskServer, TaskServerOptions, TaskServerRequestOptions, TaskStore } from 'taskwire/server'
import { createDemoServer } from './demoServer.js'
import {
  ConnectionBrokenError,
  createKillableServer,
  type KillableServer,
  type KillableServerParts,
} from './killableServer.js'
import { createRequestLog } from './requestLog.js'
import { SharedMemoryStore } from './sharedMemoryStore.js'

/** What the demo asks of its own origin, wherever it is served: by Vite, or by the service worker of the static site. */
export interface DemoSite {
  /**
   * Answers a request for one of the paths of which {@link isServed} says so.
   *
   * @throws {ConnectionBrokenError} where the MCP server is not there, or is killed before it has answered. The caller breaks
   * the connection.
   */
  fetch(path: string, request: Request, options?: TaskServerRequestOptions): Promise<Response>
  close(): Promise<void>
}

/** Options of {@link createDemoSite}. */
export interface DemoSiteOptions {
  /** What outlives the MCP server. @default in memory */
  store?: Required<Omit<TaskStore, 'createUnlessFull' | 'list'>>
  /** Makes the MCP server. @default the one of the demo */
  createServer?(options: KillableServerParts & Required<Pick<TaskServerOptions, 'leaseMs' | 'clock'>>): TaskServer
  /** @default the clock of the machine */
  clock?: NonNullable<TaskServerOptions['clock']>
}

/** True if requests for this path, relative to where the demo is, are answered by its site and not by a file. */
export function isServed(path: string): boolean {
  return path === 'mcp' || path === '__requests' || path === '__server/restart'
}

/** How long the MCP server is away when it is restarted, in ms. */
export const RESTART_MS = 2000

/** Longer than a slow machine needs to renew a lease, in ms. Only work that must not run twice waits for its end: see {@link endLeases}. */
export const LEASE_MS = 8000

/** Within which time the next server goes on with the work of the one before, in ms. */
export const RESCUE_MS: number = LEASE_MS / 4

/**
 * The MCP server of the demo, and what controls it: `POST __server/restart` kills it, and two seconds later another one takes
 * its place over the same store; `GET __requests` lists what it was asked, and `DELETE __requests` empties the list.
 */
export function createDemoSite(options: DemoSiteOptions = {}): DemoSite {
  const { store = new SharedMemoryStore(), createServer = createDemoServer, clock = machineClock } = options
  const log = createRequestLog()
  let server: Promise<KillableServer> | undefined = start()
  let restarting: unknown

  async function start(): Promise<KillableServer> {
    await endLeases(store, clock.now())
    return createKillableServer(store, (parts) => createServer({ ...parts, clock, leaseMs: LEASE_MS }))
  }

  function restart(): void {
    // It is away already.
    if (server === undefined) return
    void server.then(({ kill }) => kill())
    server = undefined
    restarting = clock.setTimeout(() => {
      server = start()
    }, RESTART_MS)
  }

  async function respond(path: string, request: Request, requestOptions?: TaskServerRequestOptions) {
    switch (`${request.method} ${path}`) {
      case 'POST __server/restart':
        restart()
        return new Response(null, { status: 202 })
      case 'DELETE __requests':
        log.entries.length = 0
        return Response.json([])
      case 'GET __requests':
        return Response.json(log.entries)
    }
    if (path !== 'mcp') return new Response(null, { status: 405 })
    if (server === undefined) throw new ConnectionBrokenError()
    return log.around(await server).fetch(request, requestOptions)
  }

  return {
    fetch: respond,
    async close() {
      clock.clearTimeout(restarting)
      await (await server)?.close()
    },
  }
}

/**
 * There is one server at a time: the leases that an earlier one took are void, and what may be run again waits for a worker. A record has
 * its call if it may.
 */
async function endLeases(store: Required<Omit<TaskStore, 'createUnlessFull' | 'list'>>, now: number): Promise<void> {
  for (const taskId of await store.lapsed(Number.POSITIVE_INFINITY, MAX_LEASES)) {
    const record = await store.get(taskId)
    if (record?.lease === undefined) continue
    const worker = record.call === undefined ? record.lease.worker : ''
    const next = { ...record, version: record.version + 1, lease: { worker, until: now } }
    await store.transition(next, record.version)
  }
}

const MAX_LEASES = 1000

const machineClock: NonNullable<TaskServerOptions['clock']> = {
  now: () => Date.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
}
