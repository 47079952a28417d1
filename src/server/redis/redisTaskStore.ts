import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import { isTerminal } from '../../core/protocol/task.js'
import { checkGiven } from '../base/checkGiven.js'
import { within } from '../base/within.js'
import { joinRecord, recordParts } from '../tasks/recordParts.js'
import { summaryOf } from '../tasks/taskList.js'
import type { TaskRecord } from '../tasks/taskRecord.js'
import type { TaskStore } from '../tasks/taskStore.js'
import { nothingWritten } from '../tasks/unwritten.js'
import { listTasks } from './listTasks.js'
import { createRunScript } from './runScript.js'
import { COUNT, CREATE, LAPSED, LIST, REMOVE, TRANSITION } from './scripts.js'

/** The part of an `ioredis` 5 or 6 client that Taskwire uses. */
export interface RedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndValues: (string | number)[]): Promise<unknown>
  evalsha(digest: string, numberOfKeys: number, ...keysAndValues: (string | number)[]): Promise<unknown>
  hmget(key: string, ...fields: string[]): Promise<(string | null)[]>
  duplicate(): RedisClient
  subscribe(channel: string): Promise<unknown>
  on(event: string, listener: (...args: string[]) => void): unknown
  disconnect(): void
}

/** Options of {@link redisTaskStore}. */
export interface RedisTaskStoreOptions {
  /** A client of `ioredis`. The app ends it. The store duplicates it for a second connection as long as it watches changes. */
  redis: RedisClient
  /** The prefix of all keys. Its braces keep all keys in one hash slot of a cluster. @default '{taskwire}:' */
  prefix?: string
}

/**
 * Keeps tasks in Redis 7 or Valkey. It uses scripts for compare-and-set, publish and subscribe for changes, and the expiry
 * of Redis for the ttl. Tasks are only as durable as Redis makes them: with `appendfsync everysec`, a crash may lose the
 * writes of the last second.
 *
 * @throws {TaskConfigurationError} if `redis` is not a client of `ioredis`, or an option does not exist.
 *
 * @example
 * ```ts
 * const store = redisTaskStore({ redis: new Redis('redis://localhost') })
 * ```
 */
export function redisTaskStore(options: RedisTaskStoreOptions): TaskStore {
  checkGiven('task store in Redis', options, { redis: REDIS }, ['prefix'])
  const { redis, prefix = '{taskwire}:' } = options
  const taskKey = (taskId: string) => `${prefix}task:${taskId}`
  const ownerKey = (owner: string) => `${prefix}owner:${owner}`
  const leases = `${prefix}leases`
  const created = `${prefix}created`
  const channel = `${prefix}changes`

  const ask = <T>(answer: Promise<T>): Promise<T> => within(PATIENCE_MS, 'use Redis', answer)
  const run = createRunScript(redis)
  const runScript = (script: string, keys: string[], values: (string | number)[] = []) => ask(run(script, keys, values))

  async function write(script: string, condition: string, next: TaskRecord, previous?: TaskRecord): Promise<unknown> {
    const { task, owner, version, expiresAt, lease } = next
    const { taskId, status } = task
    const keys = [taskKey(taskId), ownerKey(owner), leases, created, taskKey('')]
    const { state, ...parts } = recordParts(next, previous)
    const fields = [taskId, state, version, owner, expiresAt ?? '']
    const states = [isTerminal(status) ? '1' : '0', lease?.until ?? '', channel, condition]
    const summary = summaryOf(next)
    const listed = [JSON.stringify(summary), summary.createdAt]
    const values = [...fields, ...states, ...listed, ...Object.entries(parts).flat()]
    try {
      return await runScript(script, keys, values)
    } catch (error) {
      throw isRefused(error) ? nothingWritten(error) : error
    }
  }

  async function create(record: TaskRecord, limit: string): Promise<boolean> {
    const result = await write(CREATE, limit, record)
    if (result === 0) throw new TaskConfigurationError('Failed to create a task: its id is in use.')
    return result === 1
  }

  return {
    async create(record) {
      await create(record, '')
    },

    createUnlessFull: (record, maxAtWork) => create(record, String(maxAtWork)),

    async get(taskId) {
      const [state, call, history] = await ask(redis.hmget(taskKey(taskId), 'state', 'call', 'history'))
      return typeof state === 'string' ? joinRecord({ state, call: call ?? '', history: history ?? '' }) : undefined
    },

    async transition(next, expectedVersion, previous) {
      return (await write(TRANSITION, String(expectedVersion), next, previous)) === 1
    },

    // Redis does.
    expire: async () => null,

    async remove(taskId) {
      const keys = [taskKey(taskId), leases, created, ownerKey('')]
      await runScript(REMOVE, keys, [taskId])
    },

    async countAtWork(owner) {
      return Number(await runScript(COUNT, [ownerKey(owner)]))
    },

    async lapsed(now, limit) {
      const found = await runScript(LAPSED, [leases, taskKey('')], [now, limit])
      return Array.isArray(found) ? found.map(String) : []
    },

    list: (filter) => listTasks((...range) => runScript(LIST, [created, taskKey('')], range), filter),

    watch(onChange) {
      const listening = redis.duplicate()
      listening.on('message', (_channel, message = '') => {
        const at = message.indexOf(' ')
        onChange(message.slice(at + 1), Number(message.slice(0, at)))
      })
      // Also after a lost connection: nothing was published to this process meanwhile.
      listening.on('ready', () => void ignoreRejection(listening.subscribe(channel).then(() => onChange())))
      // Without a listener, an error would be thrown. The client reconnects automatically.
      listening.on('error', () => {})
      // A client with `lazyConnect` connects with its first command.
      void ignoreRejection(listening.subscribe(channel))
      return () => listening.disconnect()
    },
  }
}

const REDIS = { methods: ['eval', 'evalsha', 'hmget', 'duplicate', 'on'], pass: 'a client of ioredis' }

/** How long Redis may take to answer, in ms: a client of `ioredis` waits without limit by default. */
const PATIENCE_MS = 10_000

/** True where Redis has answered that it does not run the script: it is full, a replica, or loading. A script runs whole or not at all. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError'
}
