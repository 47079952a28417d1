import { systemClock, unrefTimer } from '../base/clock.js'
import type { PostgresPool } from './postgresPool.js'

/** How long to wait after a connection was lost, in ms. */
const RECONNECT_MS = 500

/** Listens on a channel until the function that is returned is called; connects again where the connection is lost. */
export function watchPostgres(
  pool: PostgresPool,
  channel: string,
  onChange: (taskId?: string, version?: number) => void,
): () => void {
  let letGo = () => {}
  let timer: unknown
  let isStopped = false

  async function connect(): Promise<void> {
    let isLost = false
    const own = await pool.connect()
    const lose = () => {
      if (isLost) return
      isLost = true
      // Not to be used by others: it listens, or is broken.
      own.release(true)
      retry()
    }
    own.on('error', lose)
    own.on('end', lose)
    own.on('notification', ({ payload = '' }) => {
      const at = payload.indexOf(' ')
      onChange(payload.slice(at + 1), Number(payload.slice(0, at)))
    })
    if (isStopped) return lose()
    letGo = lose
    try {
      await own.query(`LISTEN ${channel}`)
      // What happened before was told to nobody.
      onChange()
    } catch {
      lose()
    }
  }

  function retry(): void {
    if (isStopped) return
    timer = systemClock.setTimeout(start, RECONNECT_MS)
    unrefTimer(timer)
  }

  function start(): void {
    connect().catch(retry)
  }

  start()
  return () => {
    isStopped = true
    systemClock.clearTimeout(timer)
    letGo()
  }
}
