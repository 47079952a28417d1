import { TaskConfigurationError } from '../../../core/protocol/errors.js'
import { createRunStatement, type PostgresPool, type RunStatement } from '../../../server/postgres/postgresPool.js'
import { checkSchemaName } from '../../../server/postgres/schemaName.js'

/** Not that of the task server, whose schema has versions. */
export const SCHEMA = 'taskwire_backend'

/** The table that is made last. */
const LAST = 'records'

/**
 * Returns the DDL of the tables that a backend needs. Run it by hand or in the migrations of your app, and pass
 * `migrate: false`. The tables for locks and messages are unlogged: only running processes need their rows.
 *
 * @throws {TaskConfigurationError} if `schema` is not a plain name.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs'
 *
 * writeFileSync('migrations/taskwire_backend.sql', postgresBackendDdl())
 * ```
 */
export function postgresBackendDdl(schema: string = SCHEMA): string {
  checkSchemaName(schema)
  return `CREATE SCHEMA IF NOT EXISTS ${schema};
CREATE UNLOGGED TABLE IF NOT EXISTS ${schema}.locks (
  name text PRIMARY KEY,
  token text NOT NULL,
  until timestamptz NOT NULL
);
CREATE UNLOGGED TABLE IF NOT EXISTS ${schema}.messages (
  id bigserial PRIMARY KEY,
  body text NOT NULL,
  sent_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE IF NOT EXISTS ${schema}.${LAST} (
  key text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);`
}

const UNIQUE_VIOLATION = '23505'

/** Runs a statement, and resolves to its rows. */
export type Query = (text: string, values: unknown[]) => Promise<Record<string, unknown>[]>

/** The tables of a backend. */
export interface Tables {
  /** Resolves once they are there. */
  readonly ready: () => Promise<void>
  /** Waits until they are there. */
  readonly query: Query
}

/** @throws {TaskConfigurationError} if `schema` is not a plain name. */
export function openTables(pool: PostgresPool, schema: string, mayMigrate: boolean): Tables {
  checkSchemaName(schema)
  const run = createRunStatement(pool)
  const ready = createTablesCheck(run, schema, mayMigrate)
  return {
    ready,
    query: async (text, values) => {
      await ready()
      return (await run(text, values)).rows
    },
  }
}

/** Makes sure, once, that the tables are there. Of processes that create them at the same time, one does. */
function createTablesCheck(run: RunStatement, schema: string, mayMigrate: boolean): () => Promise<void> {
  let checked: Promise<void> | undefined

  async function check(isAgain = false): Promise<void> {
    const { rows } = await run(`SELECT to_regclass('${schema}.${LAST}') IS NOT NULL AS is_there`, [])
    if (rows[0]?.['is_there'] === true) return
    if (!mayMigrate) {
      throw new TaskConfigurationError(
        `The schema ${schema} has no tables of a backend. Run postgresBackendDdl('${schema}') by your migrations, or leave \`migrate\` out.`,
      )
    }
    // One text is one transaction.
    const create = `SELECT pg_advisory_xact_lock(hashtext('taskwire ${schema}')); ${postgresBackendDdl(schema)}`
    try {
      await run(create, [])
    } catch (error) {
      // A session that has waited for the lock may not have noticed yet what the one before it has created.
      if (isAgain || (error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error
      await check(true)
    }
  }

  return () => {
    checked ??= check().catch((error: unknown) => {
      checked = undefined
      throw error
    })
    return checked
  }
}
