import { createBatches } from '../../../server/postgres/batches.js'
import { listenToPostgres, type PostgresListener } from '../../../server/postgres/listenToPostgres.js'
import { checkPostgresOptions, isRefusedData } from '../../../server/postgres/postgresPool.js'
import {
  type BackendEnvironment,
  createBackendEnvironment,
  LEASE_MS,
  type WireCallbacks,
} from '../leases/backendEnvironment.js'
import type { BusWire } from '../leases/bus.js'
import type { LeaseStore } from '../leases/leaseLocks.js'
import type { PostgresStorageOptions } from './postgresStorage.js'
import { openTables, type Query, SCHEMA } from './tables.js'

/** Options of {@link postgresEnvironment}. */
export interface PostgresEnvironmentOptions extends PostgresStorageOptions {
  /**
   * How long a lock lasts without a renewal by its process, in ms; at least 1000. If a process is killed, another one
   * follows its tasks after twice this time at the latest. @default 10000
   */
  leaseMs?: number
}

/** What Postgres takes as the payload of a notification, in bytes, with some to spare. */
const MAX_PAYLOAD = 7900
/** A notification holds up every commit of the database for a moment: what is said meanwhile goes by the next statement. */
const NOTIFICATIONS = { items: 1000, batches: 1 }
/** A process waits for hundreds of locks, and looks at all of them in one statement. */
const LOOKS = { items: 1000, batches: 1 }

/**
 * Shares locks and messages in Postgres 13 or later, so that the clients in all processes of a backend work together like
 * the tabs of a browser: one process polls a task, and a call with a key is made once. Locks are rows that expire. Messages
 * use `LISTEN` and `NOTIFY`, and keep one client of the pool. That client needs a database session of its own, so PgBouncer
 * in transaction mode does not work.
 *
 * @throws {TaskConfigurationError} if `pool` is not a pool, or an option cannot be used.
 *
 * @example
 * ```ts
 * const db = new Pool({ connectionString })
 * const environment = postgresEnvironment({ pool: db })
 * const pool = createClientPool({
 *   create: () => ({ url: 'https://mcp.example.com/mcp', storage: postgresStorage({ pool: db }), environment }),
 * })
 * ```
 */
export function postgresEnvironment(options: PostgresEnvironmentOptions): BackendEnvironment {
  checkPostgresOptions('environment in Postgres', options, ['schema', 'migrate', 'leaseMs'])
  const { pool, schema = SCHEMA, migrate = true, leaseMs = LEASE_MS } = options
  const { query, ready } = openTables(pool, schema, migrate)
  const channel = `${schema}_messages`
  let listener: PostgresListener | undefined

  function openWire({ receive, connected }: WireCallbacks): BusWire {
    let onOpen = () => {}
    const isOpen = new Promise<void>((resolve) => {
      onOpen = resolve
    })

    async function take(payload: string): Promise<void> {
      const [name, text, id] = parse(payload)
      if (id === undefined) return receive(name, text)
      const [row] = await query(`SELECT body FROM ${schema}.messages WHERE id = $1`, [id])
      if (row !== undefined) receive(name, String(row['body']))
    }

    const notify = createBatches(NOTIFICATIONS, isRefusedData, async (payloads: readonly string[]) => {
      await query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [channel, payloads])
      return payloads.map(() => undefined)
    })

    return {
      open: async () => {
        await ready()
        listener ??= listenToPostgres(pool, channel, (payload) => {
          // A message that cannot be read is one that was lost.
          if (payload !== undefined) return void take(payload).catch(() => {})
          onOpen()
          connected()
        })
        await isOpen
      },
      shut: () => {},
      send: (name, text) => {
        const payload = JSON.stringify([name, text])
        if (new TextEncoder().encode(payload).length <= MAX_PAYLOAD) return notify(payload)
        return query(
          `WITH old AS (DELETE FROM ${schema}.messages WHERE sent_at < clock_timestamp() - interval '1 minute'),
            new AS (INSERT INTO ${schema}.messages (body) VALUES ($3) RETURNING id)
            SELECT pg_notify($1, json_build_array($2::text, '', id::text)::text) FROM new`,
          [channel, name, text],
        )
      },
    }
  }

  const closeWire = () => {
    listener?.stop()
    listener = undefined
  }

  /** Bypasses the queue of the pool: if renewals waited there, leases would expire, and the work that they protect would start again. */
  const queryFirst: Query = async (text, values) => {
    const saying = listener?.say(text, values).then(({ rows }) => rows)
    return saying?.catch(() => query(text, values)) ?? query(text, values)
  }

  return createBackendEnvironment(
    { store: leasesIn(`${schema}.locks`, query, queryFirst), openWire, closeWire },
    leaseMs,
  )
}

/** `queryFirst` runs a statement that can be repeated and must not wait for others. */
function leasesIn(locks: string, query: Query, queryFirst: Query): LeaseStore {
  const until = (parameter: string) => `clock_timestamp() + ${parameter} * interval '1 ms'`
  /** Who has the lease, and for how long, in ms; undefined where it is free. Locks no row, as an attempt to take it does. */
  const look = createBatches(LOOKS, isRefusedData, async (names: readonly string[]) => {
    const rows = await query(
      `SELECT name, token, extract(epoch FROM until - clock_timestamp()) * 1000 AS wait FROM ${locks}
        WHERE name = ANY($1::text[]) AND until > clock_timestamp()`,
      [[...new Set(names)]],
    )
    const known = new Map(rows.map(({ name, token, wait }) => [name, { token, waitMs: Math.max(1, Number(wait)) }]))
    return names.map((name) => known.get(name))
  })

  return {
    take: async ({ name, token }, leaseMs, steals) => {
      const holder = steals ? undefined : await look(name)
      // This token has it where the answer to its attempt was lost.
      if (holder !== undefined && holder.token !== token) return holder.waitMs
      const taken = await query(
        `INSERT INTO ${locks} AS known (name, token, until) VALUES ($1, $2, ${until('$3::int')})
          ON CONFLICT (name) DO UPDATE SET token = excluded.token, until = excluded.until
          WHERE $4 OR known.token = excluded.token OR known.until <= clock_timestamp() RETURNING name`,
        [name, token, leaseMs, steals],
      )
      if (taken.length > 0) return 0
      // Another process was faster.
      return (await look(name))?.waitMs ?? 1
    },
    renew: async (leases, leaseMs) => {
      const kept = await queryFirst(
        `UPDATE ${locks} AS known SET until = ${until('$3::int')} FROM unnest($1::text[], $2::text[]) AS held (name, token)
          WHERE known.name = held.name AND known.token = held.token AND known.until > clock_timestamp()
          RETURNING known.token`,
        [leases.map(({ name }) => name), leases.map(({ token }) => token), leaseMs],
      )
      return new Set(kept.map((row) => String(row['token'])))
    },
    // With what processes have left that were killed.
    release: ({ name, token }) =>
      query(`DELETE FROM ${locks} WHERE (name = $1 AND token = $2) OR until < clock_timestamp() - interval '1 hour'`, [
        name,
        token,
      ]),
  }
}

/** The name, the text, and the id of a message whose text was too long. */
function parse(payload: string): [name: string, text: string, id?: string] {
  const parts: unknown = JSON.parse(payload)
  if (!Array.isArray(parts)) throw new SyntaxError('The notification was not sent by Taskwire.')
  const [name, text, id] = parts
  return [String(name), String(text), ...(id === undefined ? [] : [String(id)])] as [string, string, string?]
}
