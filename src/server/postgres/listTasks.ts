import type { TaskStatus } from '../../core/protocol/task.js'
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
export const LIST_COLUMNS = [
  ['tool', 'text'],
  ['status', 'text'],
  ['is_waiting', 'boolean'],
  ['attempt', 'integer'],
  ['created_at', 'bigint'],
  ['updated_at', 'bigint'],
  ['error_code', 'bigint'],
] as const

/** What is written into them. */
export function listValues(record: TaskRecord): unknown[] {
  const { tool, status, isWaiting, attempt, createdAt, lastUpdatedAt, errorCode } = summaryOf(record)
  return [tool, status, isWaiting, attempt, createdAt, lastUpdatedAt, errorCode]
}

const NAMES = LIST_COLUMNS.map(([name]) => name).join(', ')

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
    `SELECT task_id, owner, expires_at, lease_until, ${NAMES} FROM ${table}
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
