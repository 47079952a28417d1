import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresTable, SCHEMA } from '../../docs/examples/devicePostgres.js'
import { memoryTable, type RecordTable } from '../../docs/examples/deviceTable.js'
import { type Database, startPostgres } from '../server/support/databases.js'

/** What docs/another-device.md asks of the table that keeps the records of all devices. */
function describeTable(kind: string, open: () => RecordTable): void {
  let users = 0
  const user = () => `${kind} ${process.pid} ${users++}`

  describe(`a table of records in ${kind}`, () => {
    it('writes a record only over the version that is named, of two writers one', async () => {
      const [table, ada] = [open(), user()]
      const first = await Promise.all([table.write(ada, 'a', 'one', 0), table.write(ada, 'a', 'two', 0)])
      expect(first.toSorted()).toEqual([false, true])
      const next = await Promise.all([table.write(ada, 'a', 'three', 1), table.write(ada, 'a', 'four', 1)])
      expect(next.toSorted()).toEqual([false, true])
      expect(await table.read(ada, 'a')).toEqual({ text: next[0] ? 'three' : 'four', version: 2 })
      expect(await table.write(ada, 'b', 'text', 3)).toBe(false)
      expect(await table.names(ada)).toEqual(['a'])
    })

    it('keeps the records of users apart', async () => {
      const [table, ada, bob] = [open(), user(), user()]
      await table.write(ada, 'a', "Robert'); DROP TABLE task_records;--", 0)
      expect(await table.names(bob)).toEqual([])
      expect(await table.read(bob, 'a')).toBeUndefined()
      await table.remove(bob, 'a')
      expect(await table.names(ada)).toEqual(['a'])
      await table.remove(ada, 'a')
      expect(await table.names(ada)).toEqual([])
    })

    it('reserves a name for one browser, until its time is over or it is released', async () => {
      const [table, ada] = [open(), user()]
      const now = Date.UTC(2026, 6, 28)
      const both = await Promise.all(['x', 'y'].map((id) => table.reserve(ada, 'a', id, now, now + 5000)))
      expect(both.toSorted()).toEqual([false, true])
      const [winner, loser] = both[0] ? ['x', 'y'] : ['y', 'x']
      expect(await table.reserve(ada, 'a', winner, now + 4000, now + 9000)).toBe(true)
      expect(await table.reserve(ada, 'a', loser, now + 6000, now + 11_000)).toBe(false)
      expect(await table.reserve(ada, 'a', loser, now + 9000, now + 14_000)).toBe(true)
      await table.release(ada, 'a')
      expect(await table.reserve(ada, 'a', winner, now + 9000, now + 14_000)).toBe(true)
    })
  })
}

describeTable('memory', memoryTable)

describe('Postgres', () => {
  let database: Database
  let pool: pg.Pool

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url })
    // `pool.end()` does not wait until its connections are closed, and the database that is stopped then ends them. An idle one tells
    // its pool.
    pool.on('connect', (client) => client.on('error', () => {}))
    pool.on('error', () => {})
    await pool.query(SCHEMA)
  }, 60_000)

  afterAll(async () => {
    await pool.end()
    await database.stop()
  }, 60_000)

  describeTable('Postgres', () => postgresTable(pool))
})
