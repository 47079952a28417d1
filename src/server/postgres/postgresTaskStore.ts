import { TaskConfigurationError } from '../../protocol/errors.js'
import { isTerminal } from '../../protocol/task.js'
import type { TaskRecord } from '../tasks/taskRecord.js'
import type { TaskStore } from '../tasks/taskStore.js'
import { LIST_COLUMNS, LIST_DEFINITIONS, listSchemaOf, listTasks, listValues } from './listTasks.js'
import { createRunStatement, type PostgresPool } from './postgresPool.js'
import { watchPostgres } from './watchPostgres.js'

/** Options of {@link postgresTaskStore}. */
export interface PostgresTaskStoreOptions {
  /**
   * A pool of `pg`. The app ends it. One of its clients is kept for as long as changes are watched. Errors of idle clients, which
   * end the process where nothing listens to them, are listened to.
   */
  pool: PostgresPool
  /** The name of the table, a word in lower case; also that of the channel of changes. @default 'taskwire_tasks' */
  table?: string
  /** Whether to create the table where it is not there, at the first use. @default true */
  migrate?: boolean
}

/**
 * Keeps tasks in Postgres 13 or later: compare-and-set by `UPDATE … WHERE version`, changes by `LISTEN` and `NOTIFY`.
 *
 * @throws {TaskConfigurationError} where `table` is no plain name.
 *
 * @example
 * ```ts
 * const store = postgresTaskStore({ pool: new Pool({ connectionString }) })
 * ```
 */
export function postgresTaskStore(options: PostgresTaskStoreOptions): TaskStore {
  const { pool, table = 'taskwire_tasks', migrate = true } = options
  if (!/^[a-z_][a-z0-9_]{0,40}$/.test(table)) {
    throw new TaskConfigurationError(
      `Failed to create the task store: the table "${table}" has no plain name. Pass a word in lower case.`,
    )
  }
  const run = createRunStatement(pool)
  let migrated: Promise<unknown> | undefined

  const query: typeof run = async (text, values) => {
    if (migrate) {
      migrated ??= run(tableOf(table), [])
      await migrated.catch((error: unknown) => {
        migrated = undefined
        throw error
      })
    }
    return run(text, values)
  }

  async function textOf(taskId: string): Promise<unknown> {
    const { rows } = await query(`SELECT record FROM ${table} WHERE task_id = $1`, [taskId])
    return rows[0]?.['record']
  }

  return {
    async create(record) {
      const { rowCount, isRepeated } = await query(
        `WITH written AS (INSERT INTO ${table} (task_id, owner, version, expires_at, at_work, lease_until, record, ${LIST_COLUMNS})
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING RETURNING task_id, version)
         SELECT pg_notify('${table}', version || ' ' || task_id) FROM written`,
        columns(record),
      )
      // After a lost response, what is there may be the record itself.
      if (rowCount === 1 || (isRepeated && (await textOf(record.task.taskId)) === JSON.stringify(record))) return
      throw new TaskConfigurationError('Failed to create a task: its id is in use.')
    },

    async get(taskId) {
      // A character that no text in Postgres has.
      if (taskId.includes('\0')) return undefined
      const text = await textOf(taskId)
      return typeof text === 'string' ? (JSON.parse(text) as TaskRecord) : undefined
    },

    async transition(next, expectedVersion) {
      const { rowCount } = await query(
        `WITH written AS (UPDATE ${table}
           SET owner = $2, version = $3, expires_at = $4, at_work = $5, lease_until = $6, record = $7,
             (${LIST_COLUMNS}) = ($8, $9, $10, $11, $12, $13, $14)
           WHERE task_id = $1 AND version = $15 RETURNING task_id, version)
         SELECT pg_notify('${table}', version || ' ' || task_id) FROM written`,
        [...columns(next), expectedVersion],
      )
      return rowCount === 1
    },

    async expire(now) {
      await query(`DELETE FROM ${table} WHERE expires_at <= $1`, [now])
      const { rows } = await query(`SELECT min(expires_at) AS next FROM ${table}`, [])
      const next = rows[0]?.['next'] ?? null
      return next === null ? null : Number(next)
    },

    async remove(taskId) {
      await query(`DELETE FROM ${table} WHERE task_id = $1`, [taskId])
    },

    async countAtWork(owner) {
      const { rows } = await query(`SELECT count(*) AS tasks FROM ${table} WHERE owner = $1 AND at_work`, [owner])
      return Number(rows[0]?.['tasks'])
    },

    async lapsed(now, limit) {
      const { rows } = await query(`SELECT task_id FROM ${table} WHERE at_work AND lease_until <= $1 LIMIT $2`, [
        now,
        limit,
      ])
      return rows.map((row) => String(row['task_id']))
    },

    list: (filter) => listTasks(query, table, filter),

    watch: (onChange) => watchPostgres(pool, table, onChange),
  }
}

function columns(record: TaskRecord): unknown[] {
  const { task, owner, version, expiresAt, lease } = record
  const { taskId, status } = task
  return [
    taskId,
    owner,
    version,
    expiresAt,
    !isTerminal(status),
    lease?.until ?? null,
    JSON.stringify(record),
    ...listValues(record),
  ]
}

/** Text, not jsonb: nobody looks into a record, and its fields keep their order. */
function tableOf(table: string): string {
  return `
    BEGIN;
    SELECT pg_advisory_xact_lock(hashtext('${table}'));
    CREATE TABLE IF NOT EXISTS ${table} (
      task_id text PRIMARY KEY,
      owner text NOT NULL,
      version integer NOT NULL,
      expires_at bigint,
      at_work boolean NOT NULL,
      lease_until bigint,
      record text NOT NULL,${LIST_DEFINITIONS}
    ) WITH (fillfactor = 70);
    CREATE INDEX IF NOT EXISTS ${table}_owner ON ${table} (owner) WHERE at_work;
    CREATE INDEX IF NOT EXISTS ${table}_lease ON ${table} (lease_until) WHERE at_work AND lease_until IS NOT NULL;
    CREATE INDEX IF NOT EXISTS ${table}_expiry ON ${table} (expires_at);${listSchemaOf(table)}
    COMMIT`
}
