import { Redis } from 'ioredis'
import pg from 'pg'
import { postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workingRecord } from '../../src/tools/testing/workingRecord.js'
import { type Database, hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { taskwire } from './support/testTerminal.js'

const waiting = workingRecord('0123456789abc', { owner: 'ann', tool: 'report', lease: { worker: '', until: 5 } })
const hostile = workingRecord('b', { owner: '\u001b[31mred\u202e', tool: 'deploy' })
const TABLE = [
  'status   tool    owner   age  updated  starts  error  id',
  'working  deploy   [31mred   0 s      0 s       1         b',
  'waiting  report  ann     0 s      0 s       1         01234567',
  '',
  '2 tasks.',
].map((line) => line.replace(/ +/g, ' '))
const words = (output: string) => output.split('\n').map((line) => line.replace(/ +/g, ' '))

describe('npx taskwire tasks --postgres', () => {
  let database: Database
  let pool: pg.Pool
  const schema = `tasks_${process.pid}_cli`

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url })
    const store = postgresTaskStore({ pool, schema })
    await store.create(waiting)
    await store.create(hostile)
  }, 60_000)

  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  it('prints a table, with ids that are cut and without control characters', async () => {
    const { exitCode, output } = await taskwire(['tasks', '--postgres', database.url, '--schema', schema])
    expect(exitCode).toBe(0)
    expect(words(output)).toEqual(TABLE)
  })

  it('prints JSON with whole ids, of the tasks that fit', async () => {
    const { output } = await taskwire([
      'tasks',
      '--postgres',
      database.url,
      '--schema',
      schema,
      '--owner',
      'ann',
      '--json',
    ])
    expect(JSON.parse(output)).toMatchObject({ tasks: [{ taskId: '0123456789abc', isWaiting: true }] })
  })

  it('prints JSON in which names are what they are, and direct no terminal', async () => {
    const { output } = await taskwire(['tasks', '--postgres', database.url, '--schema', schema, '--json'])
    expect(JSON.parse(output).tasks).toMatchObject([{ owner: hostile.owner }, { owner: 'ann' }])
    expect(output).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
  })

  it('says that more tasks are there than it prints, and that none fits', async () => {
    const one = await taskwire(['tasks', '--postgres', database.url, '--schema', schema, '--limit', '1'])
    expect(one.output).toContain('1 task; there are older ones')
    const none = await taskwire(['tasks', '--postgres', database.url, '--schema', schema, '--status', 'failed'])
    expect(none).toMatchObject({ exitCode: 0, output: 'No task matches.' })
  })

  it('makes no schema where there is none, and says that it is missing', async () => {
    const { exitCode, warnings } = await taskwire(['tasks', '--postgres', database.url, '--schema', 'not_there'])
    expect(exitCode).toBe(2)
    expect(warnings).toContain('Failed to read the tasks: Failed to use Postgres: the schema "not_there" is not there')
  })
})

describe.skipIf(!hasRedis)(hasRedis ? 'npx taskwire tasks --redis' : WITHOUT_REDIS, () => {
  let database: Database
  let redis: Redis

  beforeAll(async () => {
    database = await startRedis()
    redis = new Redis(database.url)
    const store = redisTaskStore({ redis })
    await store.create(waiting)
    await store.create(hostile)
  })

  afterAll(async () => {
    await redis.quit()
    await database.stop()
  })

  it('prints a table', async () => {
    const { exitCode, output } = await taskwire(['tasks', '--redis', database.url])
    expect(exitCode).toBe(0)
    expect(words(output)).toEqual(TABLE)
  })

  it('says so where it cannot be reached', async () => {
    const { exitCode, warnings } = await taskwire(['tasks', '--redis', 'redis://127.0.0.1:1'])
    expect(exitCode).toBe(2)
    expect(warnings).toContain('Failed to read the tasks')
  })
})

describe('npx taskwire tasks', () => {
  it.each([
    [[], 'Which store?'],
    [['--redis', 'redis://a', '--postgres', 'postgres://a'], 'Which store?'],
    [['--redis', 'redis://a', '--status', 'done'], 'status is "done"'],
    [['--redis', 'redis://a', '--limit', 'x'], 'limit is "x"'],
    [['--redis', 'redis://a', '--older', 'x'], '--older "x" is not a number of seconds'],
    [['more', '--redis', 'redis://a'], 'One argument is too many'],
  ])('refuses %j in words', async (args, problem) => {
    const { exitCode, warnings } = await taskwire(['tasks', ...args])
    expect(exitCode).toBe(2)
    expect(warnings).toContain(problem)
  })

  it('says what it does', async () => {
    expect((await taskwire(['tasks', '--help'])).output).toMatch(/^Usage: npx taskwire tasks/)
  })
})
