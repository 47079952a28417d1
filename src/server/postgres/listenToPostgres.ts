import { TaskStorageError } from '../../core/protocol/errors.js'
import { createBackoff } from '../base/backoff.js'
import { systemClock, unrefTimer } from '../base/clock.js'
import { within } from '../base/within.js'
import type { PostgresClient, PostgresPool, PostgresResult } from './postgresPool.js'

/** How long a connection that listens may take to answer, in ms, and how often it is checked. */
const ANSWER_MS = 5000
const CHECK_MS = 10_000

/** A connection that listens. */
export interface PostgresListener {
  /**
   * Runs a statement in the session that listens, which ends with its connection: it does not wait for a connection of the pool.
   * Rejects without a connection.
   */
  say(text: string, values?: unknown[]): Promise<PostgresResult>
  stop(): void
}

type Ask = PostgresClient['query']

/** One statement after the other: a client of `pg` warns where a second one comes before the first has its answer. */
function inTurn(own: PostgresClient): Ask {
  let turn: Promise<unknown> = Promise.resolve()
  return (statement) => {
    const answer = turn.then(() => own.query(statement))
    turn = answer.catch(() => {})
    return answer
  }
}

/**
 * Listens on a channel until it is stopped. Connects again where the connection is lost, or does not
 * answer. Calls the listener with what is notified; without arguments each time it begins, when something may have been missed.
 */
export function listenToPostgres(
  pool: PostgresPool,
  channel: string,
  onMessage: (payload?: string) => void,
): PostgresListener {
  const backoff = createBackoff()
  let session: Ask | undefined
  let letGo = () => {}
  let timer: unknown
  let isStopped = false

  function later(ms: number, run: () => void): void {
    if (isStopped) return
    timer = systemClock.setTimeout(run, ms)
    unrefTimer(timer)
  }

  function use(own: PostgresClient): () => void {
    let isLost = false
    const lose = () => {
      if (isLost) return
      isLost = true
      session = undefined
      systemClock.clearTimeout(timer)
      // Not to be used by others: it listens, or is broken.
      own.release(true)
      later(backoff.next(systemClock.now()), start)
    }
    own.on('error', lose)
    own.on('end', lose)
    own.on('notification', ({ payload = '' }) => onMessage(payload))
    return lose
  }

  /** A connection may be dead for long before anything says so. */
  function check(ask: Ask, lose: () => void): void {
    within(ANSWER_MS, 'listen to Postgres', ask('SELECT 1')).then(() => later(CHECK_MS, () => check(ask, lose)), lose)
  }

  async function connect(): Promise<void> {
    const own = await pool.connect()
    const lose = use(own)
    letGo = lose
    if (isStopped) return lose()
    const ask = inTurn(own)
    try {
      await within(ANSWER_MS, 'listen to Postgres', ask(`LISTEN ${channel}`))
      session = ask
      onMessage()
      later(CHECK_MS, () => check(ask, lose))
    } catch {
      lose()
    }
  }

  function start(): void {
    connect().catch(() => later(backoff.next(systemClock.now()), start))
  }

  start()
  return {
    async say(text, values = []) {
      if (session === undefined)
        throw new TaskStorageError('Failed to use Postgres: there is no connection that listens.')
      return within(ANSWER_MS, 'use Postgres', session({ text, values, query_timeout: ANSWER_MS }))
    },
    stop() {
      isStopped = true
      systemClock.clearTimeout(timer)
      letGo()
    },
  }
}
