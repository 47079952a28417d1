import { checkSchemaName } from './schemaName.js'

/**
 * The changes that bring a schema from one version to the next, the first from nothing. One that was released is never edited.
 * Names are qualified, so that the DDL means the same in every session.
 */
const MIGRATIONS: readonly ((schema: string) => string)[] = [
  (schema) => `CREATE TABLE ${schema}.tasks (
  task_id text PRIMARY KEY,
  owner text NOT NULL,
  version integer NOT NULL,
  expires_at bigint,
  at_work boolean NOT NULL,
  lease_until bigint,
  tool text NOT NULL,
  status text NOT NULL,
  is_waiting boolean NOT NULL,
  attempt integer NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  error_code bigint,
  taken_until bigint NOT NULL DEFAULT 0,
  state text NOT NULL,
  call text NOT NULL,
  history text NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX tasks_owner ON ${schema}.tasks (owner) WHERE at_work;
CREATE INDEX tasks_lease ON ${schema}.tasks (lease_until) WHERE at_work AND lease_until IS NOT NULL;
CREATE INDEX tasks_waiting ON ${schema}.tasks (created_at) WHERE at_work AND is_waiting;
CREATE INDEX tasks_expiry ON ${schema}.tasks (expires_at);
CREATE INDEX tasks_created ON ${schema}.tasks (created_at, task_id);
COMMENT ON COLUMN ${schema}.tasks.state IS 'JSON: everything but call and history, which may be large';
COMMENT ON COLUMN ${schema}.tasks.call IS 'what it takes to run the tool, as the option seal returned it; empty once the task is over';
COMMENT ON COLUMN ${schema}.tasks.taken_until IS 'until when no other worker takes the job, which one has taken and not claimed';
CREATE VIEW ${schema}.tasks_view AS
  SELECT task_id, owner, tool, status, is_waiting, attempt, error_code,
    to_timestamp(created_at / 1000.0) AS created_at, to_timestamp(updated_at / 1000.0) AS updated_at,
    to_timestamp(expires_at / 1000.0) AS expires_at, to_timestamp(lease_until / 1000.0) AS lease_until
  FROM ${schema}.tasks;
COMMENT ON VIEW ${schema}.tasks_view IS 'tasks for people: with times, and without what the records say';`,
]

/** The version that this release reads and writes. */
export const VERSION: number = MIGRATIONS.length

/** The DDL of each version, the first at 0, which also notes that it was reached. */
export function migrationsOf(schema: string): readonly string[] {
  return MIGRATIONS.map(
    (migration, index) => `${migration(schema)}
INSERT INTO ${schema}.migrations (version) VALUES (${index + 1});`,
  )
}

/** What is there before the first version. */
export function beginningOf(schema: string): string {
  return `CREATE SCHEMA IF NOT EXISTS ${schema};
CREATE TABLE IF NOT EXISTS ${schema}.migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());`
}

/**
 * Returns the whole DDL for a new schema. Run it by hand or in the migrations of your app. `npx taskwire migrate --print`
 * prints the same.
 *
 * @throws {TaskConfigurationError} if `schema` is not a plain name.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs'
 *
 * writeFileSync('migrations/taskwire.sql', postgresDdl('taskwire'))
 * ```
 */
export function postgresDdl(schema: string): string {
  checkSchemaName(schema)
  return [beginningOf(schema), ...migrationsOf(schema)].join('\n')
}
