import type { TaskStorage } from '../../../core/storage/taskStorage.js'
import { createBatches } from '../../../server/postgres/batches.js'
import { checkPostgresOptions, isRefusedData, type PostgresPool } from '../../../server/postgres/postgresPool.js'
import { openTables, SCHEMA } from './tables.js'

/** Records that are wanted at the same time are read in one statement. */
const READS = { items: 100, batches: 2 }

/** Options of {@link postgresStorage}. */
export interface PostgresStorageOptions {
  /**
   * A pool of `pg`. The app ends it. Taskwire listens to errors of idle clients, because without a listener they end the
   * process.
   */
  pool: PostgresPool
  /** The schema of the tables, a word in lower case. @default 'taskwire_backend' */
  schema?: string
  /** Whether to create missing tables at the first use. If false, run the SQL of `postgresBackendDdl()` first. @default true */
  migrate?: boolean
}

/**
 * Keeps records of calls in Postgres 13 or later, one row for each record, for a backend of any number of processes.
 *
 * @throws {TaskConfigurationError} if `pool` is not a pool, an option does not exist, or `schema` is not a plain name.
 *
 * @example
 * ```ts
 * const storage = postgresStorage({ pool: new Pool({ connectionString }) })
 * ```
 */
export function postgresStorage(options: PostgresStorageOptions): Required<TaskStorage> {
  checkPostgresOptions('storage in Postgres', options, ['schema', 'migrate'])
  const { pool, schema = SCHEMA, migrate = true } = options
  const { query } = openTables(pool, schema, migrate)
  const records = `${schema}.records`

  const getItem = createBatches(READS, isRefusedData, async (keys: readonly string[]) => {
    const rows = await query(`SELECT key, value FROM ${records} WHERE key = ANY($1::text[])`, [keys])
    const found = new Map(rows.map((row) => [row['key'], String(row['value'])]))
    return keys.map((key) => found.get(key))
  })

  return {
    getItem,
    async setItem(key, value) {
      await query(
        `INSERT INTO ${records} (key, value) VALUES ($1, $2)
          ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = now()`,
        [key, value],
      )
    },
    async removeItem(key) {
      await query(`DELETE FROM ${records} WHERE key = $1`, [key])
    },
    // A statement may be run again where its response was lost, so what is `after` already counts as replaced.
    async replaceItem(key, before, after) {
      if (after === undefined) {
        const removed = await query(`DELETE FROM ${records} WHERE key = $1 AND value = $2 RETURNING key`, [key, before])
        return removed.length > 0 || (await getItem(key)) === undefined
      }
      const written =
        before === undefined
          ? await query(
              `INSERT INTO ${records} AS known (key, value) VALUES ($1, $2)
                ON CONFLICT (key) DO UPDATE SET updated_at = now() WHERE known.value = excluded.value RETURNING key`,
              [key, after],
            )
          : await query(
              `UPDATE ${records} SET value = $3, updated_at = now() WHERE key = $1 AND value IN ($2, $3) RETURNING key`,
              [key, before, after],
            )
      return written.length > 0
    },
    async keys(prefix = '') {
      // The last character that there is comes after all that begin with the prefix.
      const rows = await query(`SELECT key FROM ${records} WHERE key >= $1 AND key < $1 || chr(1114111)`, [prefix])
      return rows.map((row) => String(row['key']))
    },
  }
}
