import { ignoreRejection } from '../../../core/protocol/ignoreRejection.js'
import { checkGiven } from '../../../server/base/checkGiven.js'
import { createRunScript } from '../../../server/redis/runScript.js'
import {
  type BackendEnvironment,
  createBackendEnvironment,
  LEASE_MS,
  type WireCallbacks,
} from '../leases/backendEnvironment.js'
import type { BusWire } from '../leases/bus.js'
import type { LeaseStore } from '../leases/leaseLocks.js'
import { PREFIX, REDIS, type RecordsRedis } from './backendRedis.js'

/** The part of an `ioredis` 5 or 6 client that `redisEnvironment` uses. */
export interface SharingRedis extends RecordsRedis {
  publish(channel: string, message: string): Promise<unknown>
  duplicate(): SharingRedis
  subscribe(channel: string): Promise<unknown>
  unsubscribe(channel: string): Promise<unknown>
  on(event: string, listener: (...args: string[]) => void): unknown
  disconnect(): void
}

/** Options of {@link redisEnvironment}. */
export interface RedisEnvironmentOptions {
  /**
   * A client of `ioredis`. The app ends it. Taskwire duplicates it for a second connection, for messages, when a task
   * client first needs one.
   */
  redis: SharingRedis
  /** The prefix of all keys and channels. Its braces keep all keys in one hash slot of a cluster. @default '{taskwire}:' */
  prefix?: string
  /**
   * How long a lock lasts without a renewal by its process, in ms; at least 1000. If a process is killed, another one
   * follows its tasks after twice this time at the latest. @default 10000
   */
  leaseMs?: number
}

/** 0, or how long the lease may last. KEYS: the lock. ARGV: token, the length of the lease, '1' to steal it. */
const TAKE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] and ARGV[3] ~= '1' then return math.max(1, redis.call('PTTL', KEYS[1])) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 0`

/** The tokens that are kept. KEYS: the locks. ARGV: the length of the leases, their tokens. */
const RENEW = `
local kept = {}
for at, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[at + 1] then
    redis.call('PEXPIRE', key, ARGV[1])
    table.insert(kept, ARGV[at + 1])
  end
end
return kept`

const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end`

/**
 * Shares locks and messages in Redis 7 or Valkey, so that the clients in all processes of a backend work together like the
 * tabs of a browser: one process polls a task, and a call with a key is made once.
 *
 * @throws {TaskConfigurationError} if `redis` is not a client of `ioredis`, or an option cannot be used.
 *
 * @example
 * ```ts
 * const redis = new Redis('redis://localhost')
 * const environment = redisEnvironment({ redis })
 * const pool = createClientPool({
 *   create: () => ({ url: 'https://mcp.example.com/mcp', storage: redisStorage({ redis }), environment }),
 * })
 * ```
 */
export function redisEnvironment(options: RedisEnvironmentOptions): BackendEnvironment {
  checkGiven('environment in Redis', options, { redis: SHARING }, ['prefix', 'leaseMs'])
  const { redis, prefix = PREFIX, leaseMs = LEASE_MS } = options
  const run = createRunScript(redis)
  const keyOf = (name: string) => `${prefix}lock:${name}`
  const channelOf = (name: string) => prefix + name
  let listening: SharingRedis | undefined

  const store: LeaseStore = {
    take: async ({ name, token }, ms, steals) => Number(await run(TAKE, [keyOf(name)], [token, ms, steals ? 1 : 0])),
    renew: async (leases, ms) => {
      const tokens = leases.map(({ token }) => token)
      const kept = await run(
        RENEW,
        leases.map(({ name }) => keyOf(name)),
        [ms, ...tokens],
      )
      return new Set(Array.isArray(kept) ? kept.map(String) : [])
    },
    release: ({ name, token }) => run(RELEASE, [keyOf(name)], [token]),
  }

  function listen({ receive, connected, names }: WireCallbacks): SharingRedis {
    const own = redis.duplicate()
    own.on(
      'message',
      (channel, text = '') => channel?.startsWith(prefix) && receive(channel.slice(prefix.length), text),
    )
    // Also after a connection was lost.
    own.on('ready', () => {
      void Promise.allSettled(names().map((name) => own.subscribe(channelOf(name)))).then(connected)
    })
    // Without a listener, an error would be thrown. ioredis connects again.
    own.on('error', () => {})
    return own
  }

  const openWire = (callbacks: WireCallbacks): BusWire => ({
    open: (name) => {
      listening ??= listen(callbacks)
      return listening.subscribe(channelOf(name))
    },
    shut: (name) => void (listening && ignoreRejection(listening.unsubscribe(channelOf(name)))),
    send: (name, text) => redis.publish(channelOf(name), text),
  })

  const closeWire = () => {
    listening?.disconnect()
    listening = undefined
  }
  return createBackendEnvironment({ store, openWire, closeWire }, leaseMs)
}

const SHARING = { ...REDIS, methods: [...REDIS.methods, 'publish', 'on'] }
