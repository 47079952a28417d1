import type { Needed } from '../../../server/base/checkGiven.js'

/** The part of an `ioredis` 5 or 6 client that `redisStorage` uses. */
export interface RecordsRedis {
  eval(script: string, numberOfKeys: number, ...keysAndValues: (string | number)[]): Promise<unknown>
  evalsha(digest: string, numberOfKeys: number, ...keysAndValues: (string | number)[]): Promise<unknown>
  hmget(key: string, ...fields: string[]): Promise<(string | null)[]>
}

/** What `redis` has to be, in words. */
export const REDIS: Needed = { methods: ['eval', 'evalsha', 'hmget', 'duplicate'], pass: 'a client of ioredis' }

/** Put before all keys. The braces keep them together in a cluster. */
export const PREFIX = '{taskwire}:'
