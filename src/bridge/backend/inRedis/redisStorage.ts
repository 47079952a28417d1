import type { TaskStorage } from '../../../core/storage/taskStorage.js'
import { checkGiven } from '../../../server/base/checkGiven.js'
import { createRunScript } from '../../../server/redis/runScript.js'
import { groupOf, keyParts } from '../keyParts.js'
import { PREFIX, REDIS, type RecordsRedis } from './backendRedis.js'

/** Options of {@link redisStorage}. */
export interface RedisStorageOptions {
  /** A client of `ioredis`. The app ends it. */
  redis: RecordsRedis
  /** The prefix of all keys. Its braces keep all keys in one hash slot of a cluster. @default '{taskwire}:' */
  prefix?: string
}

/** KEYS: the records of a group, the groups. ARGV: name and text of the record, the group. */
const SET = `
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('SADD', KEYS[2], ARGV[3])`

/** The same, without a text. */
const REMOVE = `
redis.call('HDEL', KEYS[1], ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('SREM', KEYS[2], ARGV[2]) end`

/**
 * 1 where the record is the text after, or gone, else 0. KEYS: as above. ARGV: the name of the record, the group, the texts before and after,
 * each behind a `+`, and empty where there is none.
 */
const REPLACE = `
local text = redis.call('HGET', KEYS[1], ARGV[1])
local known = text and '+' .. text or ''
if known == ARGV[4] then return 1 end
if known ~= ARGV[3] then return 0 end
if ARGV[4] ~= '' then
  redis.call('HSET', KEYS[1], ARGV[1], string.sub(ARGV[4], 2))
  redis.call('SADD', KEYS[2], ARGV[2])
  return 1
end
${REMOVE}
return 1`

const NAMES = `return redis.call('HKEYS', KEYS[1])`

const GROUPS = `return redis.call('SMEMBERS', KEYS[1])`

/**
 * Keeps records of calls in Redis 7 or Valkey, one hash for each user, for a backend of any number of processes. Records
 * are only as durable as Redis makes them: with `appendfsync everysec`, a crash may lose the writes of the last second.
 *
 * @throws {TaskConfigurationError} if `redis` is not a client of `ioredis`, or an option does not exist.
 *
 * @example
 * ```ts
 * const storage = redisStorage({ redis: new Redis('redis://localhost') })
 * ```
 */
export function redisStorage(options: RedisStorageOptions): Required<TaskStorage> {
  checkGiven('storage in Redis', options, { redis: REDIS }, ['prefix'])
  const { redis, prefix = PREFIX } = options
  const run = createRunScript(redis)
  const groups = `${prefix}records`
  const recordsOf = (group: string) => `${groups}:${group}`

  async function keysOf(group: string): Promise<string[]> {
    return textsOf(await run(NAMES, [recordsOf(group)], [])).map((name) => group + name)
  }

  return {
    async getItem(key) {
      const { group, rest } = keyParts(key)
      const [text] = await redis.hmget(recordsOf(group), rest)
      return text
    },
    async setItem(key, value) {
      const { group, rest } = keyParts(key)
      await run(SET, [recordsOf(group), groups], [rest, value, group])
    },
    async removeItem(key) {
      const { group, rest } = keyParts(key)
      await run(REMOVE, [recordsOf(group), groups], [rest, group])
    },
    async replaceItem(key, before, after) {
      const { group, rest } = keyParts(key)
      const texts = [before, after].map((text) => (text === undefined ? '' : `+${text}`))
      return (await run(REPLACE, [recordsOf(group), groups], [rest, group, ...texts])) === 1
    },
    async keys(keyPrefix = '') {
      const group = groupOf(keyPrefix)
      if (group !== undefined) return keysOf(group)
      const all = textsOf(await run(GROUPS, [groups], []))
      return (await Promise.all(all.map(keysOf))).flat()
    },
  }
}

function textsOf(answer: unknown): string[] {
  return Array.isArray(answer) ? answer.map(String) : []
}
