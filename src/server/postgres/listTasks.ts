import type { TaskStatus } from '../../protocol/task.js'
import {
  limitOf,
  pageOf,
  positionOf,
  summaryOf,
  type TaskListFilter,
  type TaskPage,
  type TaskSummary,
} from '../tasks/taskList.js'
import type { TaskRecord } from '../tasks/taskRecord.js'

/** The columns that operators list tasks by. */
export const LIST_COLUMNS = 'tool, status, is_waiting, attempt, created_at, updated_at, error_code'

/** Their definitions. */
export const LIST_DEFINITIONS = `
      tool text NOT NULL,
      status text NOT NULL,
      is_waiting boolean NOT NULL,
      attempt integer NOT NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      error_code bigint`

/** What is written into them. */
export function listValues(record: TaskRecord): unknown[] {
  const { tool, status, isWaiting, attempt, createdAt, lastUpdatedAt, errorCode } = summaryOf(record)
  return [tool, status, isWaiting, attempt, createdAt, lastUpdatedAt, errorCode]
}

/** An index for lists, and a view of the tasks for people: with times, and without what the records say. */
export function listSchemaOf(table: string): string {
  const time = (column: string) => `to_timestamp(${column} / 1000.0)`
  return `
    CREATE INDEX IF NOT EXISTS ${table}_created ON ${table} (created_at, task_id);
    CREATE OR REPLACE VIEW ${table}_view AS
      SELECT task_id, owner, tool, status, is_waiting, attempt, error_code, ${time('created_at')} AS created_at,
        ${time('updated_at')} AS updated_at, ${time('expires_at')} AS expires_at, ${time('lease_until')} AS lease_until
      FROM ${table};`
}

type Query = (text: string, values: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>

/** Lists tasks, the newest first. */
export async function listTasks(query: Query, table: string, filter: TaskListFilter): Promise<TaskPage> {
  const limit = limitOf(filter)
  const position = positionOf(filter)
  const values: unknown[] = []
  const conditions: string[] = []
  const where = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return
    values.push(value)
    conditions.push(condition(`$${values.length}`))
  }
  where((it) => `owner = ${it}`, filter.owner)
  where((it) => `tool = ${it}`, filter.tool)
  where((it) => `status = ${it}`, filter.status)
  where((it) => `created_at >= ${it}`, filter.createdAfter)
  where((it) => `created_at < ${it}`, filter.createdBefore)
  if (position !== undefined) {
    values.push(position.createdAt, position.taskId)
    conditions.push(`(created_at, task_id) < ($${values.length - 1}, $${values.length})`)
  }
  const { rows } = await query(
    `SELECT task_id, owner, expires_at, lease_until, ${LIST_COLUMNS} FROM ${table}
       ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
       ORDER BY created_at DESC, task_id DESC LIMIT ${limit + 1}`,
    values,
  )
  return pageOf(rows.map(summaryIn), limit)
}

function summaryIn(row: Record<string, unknown>): TaskSummary {
  // What is a bigint comes as text.
  const numberOf = (column: string) => (row[column] === null ? null : Number(row[column]))
  return {
    taskId: String(row['task_id']),
    owner: String(row['owner']),
    tool: String(row['tool']),
    status: row['status'] as TaskStatus,
    isWaiting: row['is_waiting'] === true,
    attempt: Number(row['attempt']),
    createdAt: Number(row['created_at']),
    lastUpdatedAt: Number(row['updated_at']),
    expiresAt: numberOf('expires_at'),
    leaseUntil: numberOf('lease_until'),
    errorCode: numberOf('error_code'),
  }
}
