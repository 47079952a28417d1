import { TaskStorageError } from '../../core/protocol/errors.js'
import { checkGiven } from '../base/checkGiven.js'
import { systemClock } from '../base/clock.js'
import { within } from '../base/within.js'
import { nothingWritten } from '../tasks/unwritten.js'

/** The part of a `pg` 8 `Pool` that Taskwire uses. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect', listener: (client: Pick<PostgresClient, 'on'>) => void): unknown
}

/** A statement for a client of `pg`. */
export interface PostgresStatement {
  /** The name of a statement that is prepared once in each connection. */
  name?: string
  text: string
  values: unknown[]
  /** The time after which a connection that does not answer is closed, in ms. */
  query_timeout: number
}

/** The part of a `pg` client that Taskwire uses. */
export interface PostgresClient {
  query(statement: string | PostgresStatement): Promise<PostgresResult>
  on(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown
  on(event: 'error' | 'end', listener: () => void): unknown
  release(destroy?: boolean): void
}

/** A response of Postgres. */
export interface PostgresResult {
  rows: Record<string, unknown>[]
  rowCount: number | null
}

/** Runs a statement. `isRepeated`: it may have happened before, and its response was lost. */
export type RunStatement = (
  text: string,
  values: unknown[],
  name?: string,
) => Promise<PostgresResult & { isRepeated: boolean }>

/** As long as a restart takes, in ms. */
const PATIENCE_MS = 6000
/** How long one attempt may take, in ms, connecting included. */
const ATTEMPT_MS = 5000
const FIRST_PAUSE_MS = 50

const POOL = { methods: ['connect', 'on'], without: 'escapeIdentifier', pass: 'a Pool of pg, not a Client' }

/** Checks what a store, a queue or a storage in Postgres is made of. */
export function checkPostgresOptions(
  what: string,
  options: unknown,
  optional: readonly string[] = ['schema', 'migrate', 'prepare'],
): void {
  checkGiven(what, options, { pool: POOL }, optional)
}

const guarded = new WeakSet<PostgresPool>()

/**
 * Runs statements that may be repeated, through restarts of the database. The error of one that fails for good is marked where
 * nothing can have been written.
 */
export function createRunStatement(pool: PostgresPool): RunStatement {
  guardPool(pool)

  return async (text, values, name) => {
    const until = systemClock.now() + PATIENCE_MS
    let isRepeated = false
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const statement = { text, values, query_timeout: ATTEMPT_MS, ...(name !== undefined && { name }) }
      const attempt = { wasSent: false, isLate: false }
      try {
        const { rows, rowCount } = await within(ATTEMPT_MS, 'use Postgres', runOnce(pool, statement, attempt))
        return { rows, rowCount, isRepeated }
      } catch (error) {
        attempt.isLate = true
        const isOver = systemClock.now() + pauseMs > until || !isConnectionLost(error)
        if (isOver) throw isRepeated || (attempt.wasSent && isConnectionLost(error)) ? error : nothingWritten(error)
        isRepeated ||= attempt.wasSent
        await new Promise<void>((resolve) => systemClock.setTimeout(resolve, pauseMs))
      }
    }
  }
}

interface Attempt {
  wasSent: boolean
  /** Nobody waits for it any more. */
  isLate: boolean
}

/**
 * Runs a statement in a connection of the pool. Where none was free in time, it is not run at all: a process that has fallen behind
 * would do what nobody waits for any more, and so be late with everything else.
 */
async function runOnce(pool: PostgresPool, statement: PostgresStatement, attempt: Attempt): Promise<PostgresResult> {
  const client = await pool.connect()
  let isUsable = attempt.isLate
  try {
    if (attempt.isLate) throw new TaskStorageError('Failed to use Postgres: no connection was free.')
    attempt.wasSent = true
    const result = await client.query(statement)
    isUsable = true
    return result
  } finally {
    client.release(!isUsable)
  }
}

/**
 * Keeps the process alive where a connection of the pool is cut. Without a listener, its error would be thrown: while the connection
 * is idle, and in the moment in which the pool has handed it out and the statement has not begun. The pool opens another one.
 */
export function guardPool(pool: PostgresPool): void {
  if (guarded.has(pool)) return
  guarded.add(pool)
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
}

/** True where the server may not have got the statement, or its response was lost, as when it restarts. */
function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  return code === undefined || /^(08|57P|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/.test(code)
}

/** True where the server has refused the values of a statement, such as a text that it cannot keep, or is too long for an index. */
export function isRefusedData(error: unknown): boolean {
  return /^(22|54000)/.test(codeOf(error) ?? '')
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof TaskStorageError) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}
