import { TaskConfigurationError, TaskStorageError } from '../../core/protocol/errors.js'
import { isTerminal } from '../../core/protocol/task.js'
import { systemClock } from '../base/clock.js'
import { joinRecord, type RecordParts, recordParts } from '../tasks/recordParts.js'
import type { TaskRecord } from '../tasks/taskRecord.js'
import type { TaskStore } from '../tasks/taskStore.js'
import { createBatches } from './batches.js'
import { listenToPostgres } from './listenToPostgres.js'
import { LIST_COLUMNS, listTasks, listValues } from './listTasks.js'
import { createOwnerCounts } from './ownerCounts.js'
import { checkPostgresOptions, createRunStatement, isRefusedData, type PostgresPool } from './postgresPool.js'
import { createSchemaCheck } from './schema.js'
import { checkSchemaName } from './schemaName.js'
import { wakeWorkers } from './waitingWorkers.js'

/** Options of {@link postgresTaskStore}. */
export interface PostgresTaskStoreOptions {
  /**
   * A pool of `pg`. The app ends it. The store keeps one of its clients as long as it watches changes. Taskwire listens to
   * errors of idle clients, because without a listener they end the process.
   */
  pool: PostgresPool
  /** The schema of the tables, a word in lower case. It is also the prefix of the channels for changes. @default 'taskwire' */
  schema?: string
  /**
   * Whether to create the schema, or migrate it to the version of this release, at the first use. If false, run
   * `migratePostgres` first: the store refuses a schema of another version. @default true
   */
  migrate?: boolean
  /**
   * Whether to prepare statements, once in each connection. Pass false behind a pooler that gives a connection to another
   * client after each transaction and does not support prepared statements. @default true
   */
  prepare?: boolean
}

/**
 * Keeps tasks in Postgres 13 or later. It uses `UPDATE … WHERE version` for compare-and-set, and `LISTEN` and `NOTIFY` for
 * changes.
 *
 * @throws {TaskConfigurationError} if `pool` is not a pool, an option does not exist, or `schema` is not a plain name.
 *
 * @example
 * ```ts
 * const store = postgresTaskStore({ pool: new Pool({ connectionString }) })
 * ```
 */
export function postgresTaskStore(options: PostgresTaskStoreOptions): TaskStore {
  checkPostgresOptions('task store in Postgres', options)
  const { pool, schema = 'taskwire', migrate = true, prepare = true } = options
  checkSchemaName(schema)
  const run = createRunStatement(pool)
  const checkSchema = createSchemaCheck(pool, run, schema, migrate)
  const tasks = `${schema}.tasks`
  const channel = changesChannel(schema)
  const counts = createOwnerCounts(systemClock)

  async function query(name: string, text: string, values: unknown[]) {
    await checkSchema()
    return run(text, values, prepare ? `${schema}_${name}` : undefined)
  }

  const create = createBatches(CREATIONS, isRefusedData, async (items: readonly NewTask[]) => {
    // Of two records of one id in one statement, the second would be taken for written, too.
    const firsts = new Map<string, NewTask>()
    for (const item of items) if (!firsts.has(idOf(item))) firsts.set(idOf(item), item)
    const created = await createAll([...firsts.values()])
    return items.map((item) => (firsts.get(idOf(item)) === item && created.get(idOf(item))) || IN_USE)
  })

  /** Resolves to what became of each record, in one statement for all of them. Their ids differ. */
  async function createAll(items: readonly NewTask[]): Promise<ReadonlyMap<string, Creation>> {
    const lines = items.map(({ record }) => columnsOf(record))
    const columns = COLUMNS.map((_, at) => lines.map((line) => line[at]))
    const limits = items.map(({ maxAtWork }) => maxAtWork)
    const known = items.map(({ record, maxAtWork }) => counts.known(record.owner, maxAtWork))
    const { rows, isRepeated } = await query('create', createStatement(tasks, schema), [...columns, limits, known])
    return new Map(
      items.map((item, index) => {
        const { reached, is_full: isFull, is_written: isWritten } = rows[index] ?? {}
        counts.note(item.record.owner, Number(reached))
        if (isWritten === true) return [idOf(item), 'created']
        if (isRepeated) return [idOf(item), 'unclear']
        return [idOf(item), isFull === true ? 'full' : IN_USE]
      }),
    )
  }

  const partsOf = createBatches(READS, isRefusedData, async (taskIds: readonly string[]) => {
    const text = `SELECT task_id, state, call, history FROM ${tasks} WHERE task_id = ANY($1::text[])`
    const { rows } = await query('get', text, [[...new Set(taskIds)]])
    const found = new Map(rows.map((row) => [row['task_id'], partsIn(row)]))
    return taskIds.map((taskId) => found.get(taskId))
  })

  async function createUnlessFull(record: TaskRecord, maxAtWork: number): Promise<boolean> {
    const created = await create({ record, maxAtWork })
    if (created === 'created') return true
    if (created === 'full') return false
    // After a lost response, what is there may be the record itself.
    const found = created === 'unclear' ? await partsOf(record.task.taskId).catch(cannotTell) : undefined
    if (found?.state === recordParts(record).state) return true
    throw new TaskConfigurationError('Failed to create a task: its id is in use.')
  }

  return {
    async create(record) {
      await createUnlessFull(record, Number.MAX_SAFE_INTEGER)
    },
    createUnlessFull,

    async get(taskId) {
      // A character that no text in Postgres has.
      if (taskId.includes('\0')) return undefined
      const parts = await partsOf(taskId)
      return parts && joinRecord(parts)
    },

    async transition(next, expectedVersion, previous) {
      const { state, call, history } = recordParts(next, previous)
      const values = [...columnsOf(next).slice(0, STATE_COLUMNS), state, expectedVersion]
      const { name, text } = updateStatement(tasks, channel, call !== undefined, history !== undefined)
      const more = [call, history].filter((part) => part !== undefined)
      return (await query(name, text, [...values, ...more])).rowCount === 1
    },

    async expire(now) {
      await query('expire', `DELETE FROM ${tasks} WHERE expires_at <= $1`, [now])
      const { rows } = await query('next', `SELECT min(expires_at) AS next FROM ${tasks}`, [])
      const next = rows[0]?.['next'] ?? null
      return next === null ? null : Number(next)
    },

    async remove(taskId) {
      await query('remove', `DELETE FROM ${tasks} WHERE task_id = $1`, [taskId])
    },

    async countAtWork(owner) {
      const text = `SELECT count(*) AS tasks FROM ${tasks} WHERE owner = $1 AND at_work`
      return Number((await query('count', text, [owner])).rows[0]?.['tasks'])
    },

    async lapsed(now, limit) {
      const text = `SELECT task_id FROM ${tasks} WHERE at_work AND lease_until <= $1 LIMIT $2`
      return (await query('lapsed', text, [now, limit])).rows.map((row) => String(row['task_id']))
    },

    async list(filter) {
      await checkSchema()
      return listTasks(run, tasks, filter)
    },

    watch(onChange) {
      const { stop } = listenToPostgres(pool, channel, (payload) => {
        if (payload === undefined) return onChange()
        const at = payload.indexOf(' ')
        onChange(payload.slice(at + 1), Number(payload.slice(0, at)))
      })
      return stop
    },
  }
}

/** The channel that says which tasks have changed. */
function changesChannel(schema: string): string {
  return `${schema}_changes`
}

/** An error of its own: that of a read would say that nothing was written. */
function cannotTell(cause: unknown): never {
  throw new TaskStorageError('Failed to tell whether a task was created: Postgres does not answer.', { cause })
}

const CREATIONS = { items: 100, batches: 1 }
/** Records may be large, and one connection that does not answer must not hold up all reads. */
const READS = { items: 16, batches: 4 }

function partsIn(row: Record<string, unknown>): RecordParts {
  return { state: String(row['state']), call: String(row['call']), history: String(row['history']) }
}

interface NewTask {
  readonly record: TaskRecord
  readonly maxAtWork: number
}

type Creation = 'created' | 'full' | 'unclear' | typeof IN_USE
const IN_USE = 'in use'

const idOf = ({ record }: NewTask): string => record.task.taskId

const COLUMNS = [
  ['task_id', 'text'],
  ['owner', 'text'],
  ['version', 'integer'],
  ['expires_at', 'bigint'],
  ['at_work', 'boolean'],
  ['lease_until', 'bigint'],
  ...LIST_COLUMNS,
  ['state', 'text'],
  ['call', 'text'],
  ['history', 'text'],
] as const
/** Those before `state`. */
const STATE_COLUMNS = COLUMNS.length - 3

function columnsOf(record: TaskRecord): unknown[] {
  const { task, owner, version, expiresAt, lease } = record
  const { state, call = '', history = '' } = recordParts(record)
  const found = [task.taskId, owner, version, expiresAt, !isTerminal(task.status), lease?.until ?? null]
  return [...found, ...listValues(record), state, call, history]
}

/**
 * Counts what each owner has at work, once and up to the limit, where that is not known or all might not fit, adds of the new records
 * those that fit, and wakes workers that wait for jobs. Adds them in the order of their ids: two processes that add the same ones
 * must not wait for each other.
 */
function createStatement(tasks: string, schema: string): string {
  const names = COLUMNS.map(([name]) => name).join(', ')
  const arrays = COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')
  return `
    WITH given AS (
      SELECT * FROM unnest(${arrays}, $${COLUMNS.length + 1}::bigint[], $${COLUMNS.length + 2}::bigint[])
        WITH ORDINALITY AS given (${names}, max_at_work, known, place)
    ), owners AS (
      SELECT owner, max(max_at_work) AS most,
        CASE WHEN max(known) + count(*) <= min(max_at_work) THEN max(known) END AS known FROM given GROUP BY owner
    ), counted AS MATERIALIZED (
      SELECT owner, coalesce(known, (
        SELECT count(*) FROM (
          SELECT FROM ${tasks} other WHERE other.owner = owners.owner AND other.at_work LIMIT owners.most
        ) found
      )) AS tasks FROM owners
    ), numbered AS (
      SELECT given.*, counted.tasks + row_number() OVER (PARTITION BY owner ORDER BY place) AS reached
      FROM given JOIN counted USING (owner)
    ), written AS (
      INSERT INTO ${tasks} (${names}) SELECT ${names} FROM numbered WHERE reached <= max_at_work
      ORDER BY task_id ON CONFLICT DO NOTHING RETURNING task_id, is_waiting
    ), woken AS MATERIALIZED (
      SELECT ${wakeWorkers(schema)} AS woken FROM (SELECT FROM written WHERE is_waiting LIMIT 1) any_job
    )
    SELECT reached, reached > max_at_work AS is_full, task_id IN (SELECT task_id FROM written) AS is_written,
      (SELECT woken FROM woken) FROM numbered ORDER BY place`
}

/** Changes a record of the expected version, and tells of it. What came with the call is written only where it has changed. */
function updateStatement(tasks: string, channel: string, hasCall: boolean, hasHistory: boolean) {
  const set = COLUMNS.slice(1, STATE_COLUMNS).map(([name], index) => `${name} = $${index + 2}`)
  set.push(`state = $${STATE_COLUMNS + 1}`)
  if (hasCall) set.push(`call = $${STATE_COLUMNS + 3}`)
  if (hasHistory) set.push(`history = $${STATE_COLUMNS + 3 + Number(hasCall)}`)
  const text = `
    WITH written AS (
      UPDATE ${tasks} SET ${set.join(', ')}
      WHERE task_id = $1 AND version = $${STATE_COLUMNS + 2} RETURNING task_id, version
    )
    SELECT pg_notify('${channel}', version || ' ' || task_id) FROM written`
  return { name: `update${hasCall ? '_call' : ''}${hasHistory ? '_history' : ''}`, text }
}
