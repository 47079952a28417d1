import { readFileSync } from 'node:fs'
import pg from 'pg'
import { postgresTaskStore } from 'taskwire/server/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workingRecord } from '../../src/tools/testing/workingRecord.js'
import { type Database, startPostgres } from '../server/support/databases.js'
import { taskwire } from './support/testTerminal.js'

describe('npx taskwire migrate --postgres', () => {
  let database: Database
  let pool: pg.Pool
  let fresh = 0

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url })
  }, 60_000)

  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  const freshSchema = () => {
    fresh += 1
    return `migrate_${process.pid}_${fresh}`
  }
  const migrate = (schema: string) => taskwire(['migrate', '--postgres', database.url, '--schema', schema])

  it('creates the schema that a store without migrations of its own needs', async () => {
    const schema = freshSchema()
    expect(await migrate(schema)).toMatchObject({
      exitCode: 0,
      output: `The schema "${schema}" has version 1, the one that this release of taskwire needs.`,
    })
    const store = postgresTaskStore({ pool, schema, migrate: false })
    await store.create(workingRecord('a'))
    expect(await store.get('a')).toBeDefined()
  })

  it('changes nothing in a schema that has the version of this release', async () => {
    const schema = freshSchema()
    await migrate(schema)
    await postgresTaskStore({ pool, schema }).create(workingRecord('a'))
    expect((await migrate(schema)).exitCode).toBe(0)
    expect(await postgresTaskStore({ pool, schema }).get('a')).toBeDefined()
  })

  it('refuses a schema of a later release in words, and leaves it as it is', async () => {
    const schema = freshSchema()
    await migrate(schema)
    await pool.query(`INSERT INTO ${schema}.migrations (version) VALUES (2)`)
    const { exitCode, warnings } = await migrate(schema)
    expect(exitCode).toBe(2)
    expect(warnings).toContain(`the schema "${schema}" has version 2, and this release of taskwire knows 1.`)
    const { rows } = await pool.query(`SELECT max(version) AS version FROM ${schema}.migrations`)
    expect(rows).toEqual([{ version: 2 }])
  })

  it('leaves nothing behind where a statement is refused', async () => {
    const schema = freshSchema()
    await pool.query(`CREATE SCHEMA ${schema}; CREATE VIEW ${schema}.tasks_view AS SELECT 1`)
    const { exitCode, warnings } = await migrate(schema)
    expect(exitCode).toBe(2)
    expect(warnings).toContain('The schema was not changed: ')
    const { rows } = await pool.query('SELECT table_name FROM information_schema.tables WHERE table_schema = $1', [
      schema,
    ])
    expect(rows).toEqual([{ table_name: 'tasks_view' }])
  })

  it('prints the DDL of the documentation, which makes the same schema without a transaction around it', async () => {
    const { exitCode, output } = await taskwire(['migrate', '--print'])
    expect(exitCode).toBe(0)
    expect(`${output}\n`).toBe(readFileSync('docs/examples/scale/schema.sql', 'utf8'))
    const schema = freshSchema()
    const ddl = await taskwire(['migrate', '--print', '--schema', schema])
    await pool.query('CREATE SCHEMA IF NOT EXISTS elsewhere; SET search_path TO elsewhere')
    for (const statement of ddl.output.split(/;$/m)) await pool.query(statement)
    const store = postgresTaskStore({ pool, schema, migrate: false })
    await store.create(workingRecord('a'))
    expect(await store.get('a')).toBeDefined()
  })
})

describe('npx taskwire migrate', () => {
  it.each([
    [[], 'Which database?'],
    [['more', '--postgres', 'postgres://a'], 'One argument is too many'],
    [['--redis', 'redis://a'], "Unknown option '--redis'"],
    [['--print', '--schema', 'a; DROP'], 'has no plain name'],
    [['--postgres', 'postgres://127.0.0.1:1/a'], 'The schema was not changed: connect ECONNREFUSED 127.0.0.1:1'],
  ])('refuses %j in words', async (args, problem) => {
    const { exitCode, warnings } = await taskwire(['migrate', ...args])
    expect(exitCode).toBe(2)
    expect(warnings).toContain(problem)
  })

  it('says what it does', async () => {
    expect((await taskwire(['migrate', '--help'])).output).toMatch(/^Usage: npx taskwire migrate/)
  })
})
