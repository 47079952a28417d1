import type { Pool } from 'pg'
import type { RecordTable } from './deviceTable.ts'

/** Run it once, with the migrations of your app. */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS task_records (
    owner text, name text, record text NOT NULL, version integer NOT NULL,
    PRIMARY KEY (owner, name)
  );
  CREATE TABLE IF NOT EXISTS task_reservations (
    owner text, name text, browser_id text NOT NULL, until bigint NOT NULL,
    PRIMARY KEY (owner, name)
  );
`

/**
 * The records in Postgres: each method is one statement, so it holds for any
 * number of processes.
 */
export function postgresTable(pool: Pool): RecordTable {
  return {
    names: async (user) => {
      const { rows } = await pool.query(
        'SELECT name FROM task_records WHERE owner = $1 ORDER BY name',
        [user],
      )
      return rows.map(({ name }) => name)
    },
    read: async (user, name) => {
      const sql = `SELECT record AS text, version FROM task_records
        WHERE owner = $1 AND name = $2`
      return (await pool.query(sql, [user, name])).rows[0]
    },
    write: async (user, name, text, version) => {
      const sql =
        version === 0
          ? `INSERT INTO task_records VALUES ($1, $2, $3, $4 + 1)
             ON CONFLICT DO NOTHING`
          : `UPDATE task_records SET record = $3, version = $4 + 1
             WHERE owner = $1 AND name = $2 AND version = $4`
      return (await pool.query(sql, [user, name, text, version])).rowCount === 1
    },
    remove: async (user, name) => {
      await pool.query(
        'DELETE FROM task_records WHERE owner = $1 AND name = $2',
        [user, name],
      )
    },
    reserve: async (user, name, browserId, now, until) => {
      const sql = `
        INSERT INTO task_reservations AS known VALUES ($1, $2, $3, $5)
        ON CONFLICT (owner, name) DO UPDATE SET browser_id = $3, until = $5
        WHERE known.browser_id = $3 OR known.until <= $4`
      return (
        (await pool.query(sql, [user, name, browserId, now, until]))
          .rowCount === 1
      )
    },
    release: async (user, name) => {
      await pool.query(
        'DELETE FROM task_reservations WHERE owner = $1 AND name = $2',
        [user, name],
      )
    },
  }
}
