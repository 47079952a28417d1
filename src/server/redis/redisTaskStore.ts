import { TaskConfigurationError } from '../../protocol/errors.js'
import { isTerminal } from '../../protocol/task.js'
import { ignoreRejection } from '../base/ignoreRejection.js'
import { within } from '../base/within.js'
import { summaryOf } from '../tasks/taskList.js'
import type { TaskRecord } from '../tasks/taskRecord.js'
import type { TaskStore } from '../tasks/taskStore.js'
import { nothingWritten } from '../tasks/unavailable.js'
import { listTasks } from './listTasks.js'
import { COUNT, CREATE, LAPSED, LIST, REMOVE, TRANSITION } from './scripts.js'

/** What is used of a client of `ioredis`, 5 or 6. */
export interface RedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndValues: (string | number)[]): Promise<unknown>
  hget(key: string, field: string): Promise<string | null>
  duplicate(): RedisClient
  subscribe(channel: string): Promise<unknown>
  on(event: string, listener: (...args: string[]) => void): unknown
  disconnect(): void
}

/** Options of {@link redisTaskStore}. */
export interface RedisTaskStoreOptions {
  /** A client of `ioredis`. The app ends it. A second connection is made of it for as long as changes are watched. */
  redis: RedisClient
  /** Put before all keys. The braces keep them together in a cluster. @default '{taskwire}:' */
  prefix?: string
}

/**
 * Keeps tasks in Redis 7 or Valkey: compare-and-set by scripts, changes by publish and subscribe, the ttl by Redis itself. Tasks
 * are as safe as that Redis is: with `appendfsync everysec`, a crash may cost what it was told in the last second.
 *
 * @example
 * ```ts
 * const store = redisTaskStore({ redis: new Redis('redis://localhost') })
 * ```
 */
export function redisTaskStore({ redis, prefix = '{taskwire}:' }: RedisTaskStoreOptions): TaskStore {
  const taskKey = (taskId: string) => `${prefix}task:${taskId}`
  const ownerKey = (owner: string) => `${prefix}owner:${owner}`
  const leases = `${prefix}leases`
  const created = `${prefix}created`
  const channel = `${prefix}changes`

  async function write(script: string, record: TaskRecord, expectedVersion: string): Promise<boolean> {
    const { task, owner, version, expiresAt, lease } = record
    const { taskId, status } = task
    const keys = [taskKey(taskId), ownerKey(owner), leases, created]
    const fields = [taskId, JSON.stringify(record), version, owner, expiresAt ?? '']
    const states = [isTerminal(status) ? '1' : '0', lease?.until ?? '', channel, expectedVersion]
    const summary = summaryOf(record)
    const listed = [JSON.stringify(summary), summary.createdAt, taskKey('')]
    const values = [...keys, ...fields, ...states, ...listed]
    const result = within(PATIENCE_MS, 'use Redis', redis.eval(script, keys.length, ...values))
    return (
      (await result.catch((error: unknown) => Promise.reject(isRefused(error) ? nothingWritten(error) : error))) === 1
    )
  }

  return {
    async create(record) {
      if (await write(CREATE, record, '')) return
      throw new TaskConfigurationError('Failed to create a task: its id is in use.')
    },

    async get(taskId) {
      const text = await within(PATIENCE_MS, 'use Redis', redis.hget(taskKey(taskId), 'record'))
      return text === null ? undefined : (JSON.parse(text) as TaskRecord)
    },

    transition: (next, expectedVersion) => write(TRANSITION, next, String(expectedVersion)),

    // Redis does.
    expire: async () => null,

    async remove(taskId) {
      const keys = [taskKey(taskId), leases, created]
      await within(PATIENCE_MS, 'use Redis', redis.eval(REMOVE, keys.length, ...keys, taskId, ownerKey('')))
    },

    async countAtWork(owner) {
      return Number(await within(PATIENCE_MS, 'use Redis', redis.eval(COUNT, 1, ownerKey(owner))))
    },

    async lapsed(now, limit) {
      const found = await within(PATIENCE_MS, 'use Redis', redis.eval(LAPSED, 1, leases, now, limit, taskKey('')))
      return Array.isArray(found) ? found.map(String) : []
    },

    list: (filter) =>
      listTasks(
        (...range) => within(PATIENCE_MS, 'use Redis', redis.eval(LIST, 1, created, ...range, taskKey(''))),
        filter,
      ),

    watch(onChange) {
      const listening = redis.duplicate()
      listening.on('message', (_channel, message = '') => {
        const at = message.indexOf(' ')
        onChange(message.slice(at + 1), Number(message.slice(0, at)))
      })
      // Also after a connection was lost: what happened in between was told to nobody.
      listening.on('ready', () => void ignoreRejection(listening.subscribe(channel).then(() => onChange())))
      // Without a listener, an error would be thrown. The client connects again by itself.
      listening.on('error', () => {})
      return () => listening.disconnect()
    },
  }
}

/** How long Redis may take to answer, in ms: a client of `ioredis` waits for it for as long as it is told to. */
const PATIENCE_MS = 10_000

/** True where Redis has answered that it does not run the script: it is full, a replica, or loading. A script runs whole or not at all. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError'
}
