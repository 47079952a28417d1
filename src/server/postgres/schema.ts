import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { within } from '../base/within.js'
import { nothingWritten } from '../tasks/unwritten.js'
import { beginningOf, migrationsOf, VERSION } from './migrations.js'
import { checkPostgresOptions, guardPool, type PostgresPool, type RunStatement } from './postgresPool.js'
import { checkSchemaName } from './schemaName.js'

const MIGRATION_MS = 60_000

/**
 * Migrates the schema of the task store to the version of this release: creates the schema, or runs the missing migrations
 * in one transaction. If several processes do this at the same time, only one of them migrates. Resolves to the version.
 *
 * @throws {TaskConfigurationError} if there is no `pool`, or the schema is from a later release.
 *
 * @example
 * ```ts
 * await migratePostgres({ pool: new Pool({ connectionString }) })
 * ```
 */
export async function migratePostgres(options: { pool: PostgresPool; schema?: string }): Promise<number> {
  checkPostgresOptions('tables in Postgres', options, ['schema'])
  const { pool, schema = 'taskwire' } = options
  checkSchemaName(schema)
  guardPool(pool)
  const connecting = pool.connect()
  const client = await within(MIGRATION_MS, 'connect to Postgres', connecting).catch((error: unknown) => {
    // It may come later, and nothing would give it back.
    connecting.then(
      (late) => late.release(true),
      () => {},
    )
    throw error
  })
  let version: unknown
  try {
    await within(MIGRATION_MS, 'migrate Postgres', client.query(migration(schema)))
    const { rows } = await client.query(`SELECT max(version) AS version FROM ${schema}.migrations`)
    version = rows[0]?.['version']
    client.release()
  } catch (error) {
    // Also ends a transaction that is open.
    client.release(true)
    throw error
  }
  return checkVersion(Number(version), schema)
}

/** One text, so that it runs in one transaction. Nothing is run if the schema is from a later release. */
function migration(schema: string): string {
  const steps = migrationsOf(schema).map((sql, index) => `IF reached < ${index + 1} THEN ${sql} END IF;`)
  return `BEGIN;
    SELECT pg_advisory_xact_lock(hashtext('taskwire ${schema}'));
    ${beginningOf(schema)}
    DO $$ DECLARE reached integer;
    BEGIN
      SELECT coalesce(max(version), 0) INTO reached FROM ${schema}.migrations;
      ${steps.join('\n')}
    END $$;
    COMMIT`
}

/** Makes sure, once, that the schema is there. */
export function createSchemaCheck(pool: PostgresPool, run: RunStatement, schema: string, mayMigrate: boolean) {
  let checked: Promise<unknown> | undefined

  async function check(): Promise<void> {
    const version = await run(`SELECT max(version) AS version FROM ${schema}.migrations`, []).then(
      ({ rows }) => Number(rows[0]?.['version'] ?? 0),
      (error: unknown) => (isUndefined(error) ? 0 : Promise.reject(error)),
    )
    if (version < VERSION && mayMigrate) await migratePostgres({ pool, schema })
    else checkVersion(version, schema)
  }

  /** What the check comes before has not been sent, whatever it fails with. */

  return (): Promise<unknown> => {
    checked ??= check().catch((error: unknown) => {
      checked = undefined
      throw nothingWritten(error)
    })
    return checked
  }
}

function checkVersion(version: number, schema: string): number {
  if (version === VERSION) return version
  throw new TaskConfigurationError(
    version > VERSION
      ? `Failed to use Postgres: the schema "${schema}" has version ${version}, and this release of taskwire knows ${VERSION}. ` +
          'A later release has migrated it. Update taskwire in this process.'
      : `Failed to use Postgres: the schema "${schema}" ${version === 0 ? 'is not there' : `has version ${version}`}, and version ` +
          `${VERSION} is needed. Run npx taskwire migrate --schema ${schema}, or leave the option \`migrate\` on.`,
  )
}

/** True where there is no such table, or no such schema. */
function isUndefined(error: unknown): boolean {
  return ['42P01', '3F000'].includes(String((error as { code?: unknown }).code))
}
