import { checkMembers, type NamesOf } from '../../core/client/checkNames.js'
import { KEEP_IN_USE, type KeepsInUse } from '../../core/client/clientInUse.js'
import { mustBe } from '../../core/client/mustBe.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import type { Environment } from '../../core/environment/environment.js'
import { asError } from '../../core/protocol/asError.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { isSettled } from '../../core/record/toolCallState.js'
import { MAX_TIMER_MS } from '../../core/time/policy.js'
import { createTaskClient } from '../../sdk/createTaskClient.js'
import type { TaskClientSdkOptions, TaskClientUrlOptions } from '../../sdk/sdkOptions.js'
import { unrefTimer } from '../../server/base/clock.js'

/**
 * Options for the client of one user: those of `createTaskClient`. The pool sets `scope` to the id of the user. `storage`
 * is required: the pool closes an idle client, and the next client of the user finds the calls in the storage.
 */
export type PooledClientOptions = Pooled<TaskClientUrlOptions> | Pooled<TaskClientSdkOptions>

type Pooled<Options extends { storage?: unknown }> = Omit<Options, 'scope' | 'storage'> & {
  scope?: never
  storage: NonNullable<Options['storage']>
}

/** Options of {@link createClientPool}. */
export interface ClientPoolOptions {
  /**
   * Returns the options for the client of a user. Called with the id that was passed to `get()`, when the pool creates the
   * client.
   */
  create: (userId: string) => PooledClientOptions
  /**
   * How long the pool keeps a client that is not used and has no running call, in ms. The pool closes it after this time at
   * the earliest, and after twice this time at the latest.
   * @default 300000
   */
  idleMs?: number
  /** Called with each new client before the client does anything, for instance to listen to `onToolCallSettled`. */
  onCreate?: (client: TaskClient, userId: string) => void
  /** Called with errors that occur while a client resumes its calls or is closed, and with what a promise of `onCreate` rejects with. */
  onError?: (error: Error, userId: string) => void
  /** For tests: the time. */
  environment?: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>
}

/** The clients for the users of a backend. Made by {@link createClientPool}. */
export interface ClientPool {
  /**
   * Returns the client of a user, and creates it if it does not exist. Call `get()` for each request instead of keeping the
   * client: a closed client calls no tool.
   *
   * @throws {TaskConfigurationError} if there is no user id, if the options cannot be used, and after `close()`.
   */
  get(userId: string): TaskClient
  /** How many clients the pool has. */
  readonly size: number
  /**
   * Closes all clients, and creates no others. Tasks keep running on the server. Resolves when the storage has everything
   * that the next process needs.
   */
  close(): Promise<void>
}

const OPTIONS: NamesOf<ClientPoolOptions> = {
  create: true,
  idleMs: true,
  onCreate: true,
  onError: true,
  environment: true,
}

interface PooledClient {
  readonly client: TaskClient
  /** When it was used last, ms since the epoch. */
  usedAt: number
  /** How many hold it, such as the streams of pages that are open. */
  holders: number
}

/**
 * Keeps a client for each user of a backend. The pool creates a client when you need it, and closes it when it is not used
 * and has no running call. A new client resumes the user's calls from its storage.
 *
 * @throws {TaskConfigurationError} if an option cannot be used; the message says what to change.
 *
 * @example
 * ```ts
 * import { createTaskBridge } from 'taskwire/bridge/server'
 *
 * const pool = createClientPool({
 *   create: () => ({
 *     url: 'https://mcp.example.com/mcp',
 *     headers: { Authorization: `Bearer ${process.env['MCP_TOKEN']}` },
 *     storage: fileStorage('.taskwire'),
 *   }),
 * })
 * const bridge = createTaskBridge({
 *   clientOf: (request) => {
 *     const userId = request.headers.get('x-user') // yours: the user of the session
 *     return userId === null ? undefined : pool.get(userId)
 *   },
 *   allow: { tools: ['generate_report'] },
 * })
 * ```
 */
export function createClientPool(options: ClientPoolOptions): ClientPool {
  checkOptions(options)
  const { create, idleMs = 300_000, onCreate, onError } = options
  const environment = options.environment ?? browserEnvironment()
  /** Those first that were used, or looked at, longest ago. */
  const clients = new Map<string, PooledClient>()
  const closing = new Set<Promise<void>>()
  let timer: unknown
  let isClosed = false

  function use(userId: string, pooled: PooledClient, now = environment.now()): void {
    pooled.usedAt = now
    clients.delete(userId)
    clients.set(userId, pooled)
  }

  function look(): void {
    timer = undefined
    const now = environment.now()
    for (const [userId, pooled] of clients) {
      const isSetBack = pooled.usedAt > now
      if (!isSetBack && pooled.usedAt + idleMs > now) break
      if (isSetBack || pooled.holders > 0 || isAtWork(pooled.client)) use(userId, pooled, now)
      else end(userId, pooled)
    }
    arm()
  }

  /** One timer for all of them. */
  function arm(): void {
    const [first] = clients.values()
    if (timer !== undefined || first === undefined) return
    const dueInMs = Math.max(0, first.usedAt + idleMs - environment.now())
    timer = environment.setTimeout(look, Math.min(dueInMs, idleMs))
    unrefTimer(timer)
  }

  function end(userId: string, { client }: PooledClient): void {
    clients.delete(userId)
    const closed: Promise<void> = client
      .close()
      .catch((thrown: unknown) => onError?.(asError(thrown), userId))
      .finally(() => closing.delete(closed))
    closing.add(closed)
  }

  function make(userId: string): PooledClient {
    const client = createTaskClient(checkCreated(create(userId), userId))
    const pooled: PooledClient = { client, usedAt: environment.now(), holders: 0 }
    const keepInUse = () => {
      pooled.holders += 1
      return () => {
        pooled.holders -= 1
        if (clients.get(userId) === pooled) use(userId, pooled)
      }
    }
    Object.assign<TaskClient, KeepsInUse>(client, { [KEEP_IN_USE]: keepInUse })
    try {
      const done: unknown = onCreate?.(client, userId)
      Promise.resolve(done).catch((thrown: unknown) => onError?.(asError(thrown), userId))
    } catch (thrown) {
      // The next request makes another one.
      end(userId, pooled)
      throw thrown
    }
    if (client.resume === 'eager')
      client.resumeToolCalls().catch((thrown: unknown) => onError?.(asError(thrown), userId))
    return pooled
  }

  return {
    get: (userId) => {
      if (typeof userId !== 'string' || userId === '')
        throw mustBe('The id of a user', userId, 'a string that is not empty')
      if (isClosed) throw new TaskConfigurationError('This pool of clients is closed. Create a new one.')
      const pooled = clients.get(userId) ?? make(userId)
      use(userId, pooled)
      arm()
      return pooled.client
    },
    get size() {
      return clients.size
    },
    close: async () => {
      isClosed = true
      environment.clearTimeout(timer)
      for (const [userId, pooled] of clients) end(userId, pooled)
      await Promise.all(closing)
    },
  }
}

/** True while a call runs, whatever it waits for. */
function isAtWork(client: TaskClient): boolean {
  return Object.values(client.store.getState().calls).some((call) => !isSettled(call) && call.phase !== 'ended')
}

function checkOptions(options: ClientPoolOptions): void {
  if (typeof options !== 'object' || options === null || typeof options.create !== 'function') {
    throw new TaskConfigurationError(
      'createClientPool needs to know how the client of a user is made: pass create: (userId) => ({ url, storage }).',
    )
  }
  checkMembers(options, OPTIONS)
  const { idleMs, onCreate, onError } = options
  const isTime = idleMs === undefined || (typeof idleMs === 'number' && idleMs > 0 && idleMs <= MAX_TIMER_MS)
  if (!isTime) throw mustBe('idleMs', idleMs, `a number above 0 and at most ${MAX_TIMER_MS}`)
  for (const [name, value] of Object.entries({ onCreate, onError }))
    if (value !== undefined && typeof value !== 'function') throw mustBe(name, value, 'a function')
}

/** The options that `create` has returned, with what is the pool's to say. */
function checkCreated(created: PooledClientOptions, userId: string) {
  const returned: unknown = created
  if (typeof returned !== 'object' || returned === null || 'then' in returned) {
    throw new TaskConfigurationError(
      '`create` of createClientPool must return the options of createTaskClient, and no promise. To do something that takes time, ' +
        'such as reading a token, pass a function in the option `headers`.',
    )
  }
  if (created.scope !== undefined) {
    throw new TaskConfigurationError(
      '`create` of createClientPool returned a scope. Leave it out: the scope of a client is the id that get() was given. ' +
        'If an id is not enough to tell users apart, put more into what get() is given, such as the id of the tenant.',
    )
  }
  if (created.storage === undefined) {
    throw new TaskConfigurationError(
      '`create` of createClientPool returned no storage. Say where the calls of the user are recorded: ' +
        "storage: fileStorage('.taskwire'), or 'memory' if they may be lost when the user's client is closed.",
    )
  }
  // Without locks of a backend, there is nothing to share a user's calls with: each client has the process for itself.
  const crossTab = created.crossTab ?? created.environment?.locks !== undefined
  return { ...created, scope: userId, crossTab } as Parameters<typeof createTaskClient>[0]
}
