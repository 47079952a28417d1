import type { TaskPage, TaskSummary } from '../../../server/tasks/taskList.js'

const HEAD = ['status', 'tool', 'owner', 'age', 'updated', 'starts', 'error', 'id'] as const
/** Columns of numbers, which end at the same place. */
const NUMBERS: ReadonlySet<string> = new Set(['age', 'updated', 'starts', 'error'])
/** What is longer is cut, so that a row stays a line. */
const MAX_WIDTH = 32
/** Enough to tell tasks apart, and too little to use one. */
const ID_LENGTH = 8

/** Tasks as a table for a terminal. `now` is in ms since the epoch. */
export function tableOf({ tasks, cursor }: TaskPage, now: number): string {
  if (tasks.length === 0) return 'No task matches.'
  const rows = [HEAD, ...tasks.map((task) => rowOf(task, now))]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return NUMBERS.has(HEAD[column] ?? '') ? cell.padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd(),
  )
  const count = `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`
  return [
    ...lines,
    '',
    cursor === undefined ? `${count}.` : `${count}; there are older ones: pass --limit or --older.`,
  ].join('\n')
}

function rowOf(task: TaskSummary, now: number): readonly string[] {
  const { status, isWaiting, tool, owner, createdAt, lastUpdatedAt, attempt, errorCode, taskId } = task
  return [
    isWaiting ? 'waiting' : status,
    cut(tool),
    cut(owner) || '-',
    duration(now - createdAt),
    duration(now - lastUpdatedAt),
    String(attempt),
    errorCode === null ? '' : String(errorCode),
    cut(taskId.slice(0, ID_LENGTH)),
  ]
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const

function duration(ms: number): string {
  const [size, unit] = UNITS.find(([one]) => ms >= one) ?? [1000, 's']
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`
}

/** Names come from users: without what would move the cursor or colour the terminal. */
function cut(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
  return plain.length > MAX_WIDTH ? `${plain.slice(0, MAX_WIDTH - 1)}…` : plain
}
