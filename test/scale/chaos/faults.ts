import { Redis } from 'ioredis'
import pg from 'pg'
import type { Database } from '../../server/support/databases.js'
import type { TcpProxy } from '../../support/tcpProxy.js'
import type { Backend } from './documentedFiles.js'
import type { Fleet } from './fleet.js'

/** What faults happen to. */
export interface World {
  readonly backend: Backend
  readonly database: Database
  readonly web: Fleet
  readonly work: Fleet
  /** One in front of the database for each process. */
  readonly proxies: readonly TcpProxy[]
  /** From 0 up to and without 1. */
  random(): number
}

/** Does something bad; resolves when it is over, or has begun and ends on its own. */
export type Fault = () => Promise<void> | void

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Every kind of fault, by what it is. */
export function faultsOf(world: World): Record<string, Fault> {
  const { backend, database, web, work, proxies, random } = world
  const one = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]
  const placeOf = ({ size }: Fleet) => Math.floor(random() * size)
  const proxied = (mode: 'swallow' | 'lag' | 'reset', ms: number) => async () => {
    const proxy = one(proxies)
    proxy?.set(mode)
    await pause(ms)
    proxy?.set('pass')
  }
  return {
    'SIGKILL to a worker': () => work.signal(placeOf(work), 'SIGKILL'),
    'SIGTERM to a worker': () => work.signal(placeOf(work), 'SIGTERM'),
    'SIGSTOP for 5 s to a worker': async () => {
      const place = placeOf(work)
      work.signal(place, 'SIGSTOP')
      await pause(5000)
      work.signal(place, 'SIGCONT')
    },
    'SIGKILL to a web process': () => web.signal(placeOf(web), 'SIGKILL'),
    'SIGTERM to a web process': () => web.signal(placeOf(web), 'SIGTERM'),
    'a process that gets no answers for 4 s': proxied('swallow', 4000),
    'a process whose answers are late for 4 s': proxied('lag', 4000),
    'a process that is refused for 3 s': proxied('reset', 3000),
    'all connections cut': () => {
      for (const proxy of proxies) proxy.cut()
    },
    'database restarted': () => database.restart(),
    ...(backend === 'redis' ? faultsOfRedis(database) : faultsOfPostgres(database)),
  }
}

function faultsOfRedis({ url }: Database): Record<string, Fault> {
  const during = (begin: string[], end: string[]) => async () => {
    const redis = new Redis(url)
    redis.on('error', () => {})
    const [beginning = '', ...beginsWith] = begin
    const [ending = '', ...endsWith] = end
    await redis.call(beginning, ...beginsWith)
    await pause(4000)
    await redis.call(ending, ...endsWith)
    redis.disconnect()
  }
  return {
    'Redis full for 4 s': during(['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']),
    'Redis a replica for 4 s': during(['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']),
  }
}

function faultsOfPostgres({ url }: Database): Record<string, Fault> {
  /** Until it is done: the database may be restarted meanwhile. */
  const set = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('SET default_transaction_read_only = off')
      await client.query(sql)
      await client.query('SELECT pg_reload_conf()')
      await client.end()
    } catch {
      await pause(200)
      await set(sql)
    }
  }
  return {
    'Postgres only readable for 4 s': async () => {
      await set('ALTER SYSTEM SET default_transaction_read_only = on')
      await pause(4000)
      await set('ALTER SYSTEM RESET default_transaction_read_only')
    },
  }
}
