import type { TaskClientObservation } from '../../../src/index.js'

/** A message and its response, or one that the server sent by itself, as the page around a live example shows them. */
export interface WireRow {
  /** Unique among the rows of a page. */
  readonly id: string
  /** Which frame it is of. */
  readonly tab: number
  /** `tools/call`, `tasks/get`. */
  readonly method: string
  /** The response in a few words; undefined while it is awaited. */
  readonly answer?: string
  /** Until the response. */
  readonly ms?: number
}

/** What went over the wire of a live example. */
export interface Wire {
  /** The newest ones. */
  readonly rows: readonly WireRow[]
  /** How many there were, with those that are not shown any more. */
  readonly added: number
  /** How often each method was sent, by its name. */
  readonly sent: Readonly<Record<string, number>>
}

export const EMPTY_WIRE: Wire = { rows: [], added: 0, sent: {} }

/** As many as are shown. */
const MAX_ROWS = 100

/**
 * @param wire what was observed before
 * @param observation of a client
 * @param page which frame, and how many times it was loaded: exchanges are counted anew after a reload
 * @returns the wire with what was observed; the same one where that is not of the wire
 */
export function addToWire(
  wire: Wire,
  observation: TaskClientObservation,
  page: { readonly tab: number; readonly load: number },
): Wire {
  if (!('exchange' in observation)) return wire
  const { tab, load } = page
  const id = `${tab}.${load}.${observation.exchange}`
  if (observation.type === 'wire-sent') {
    const { method = 'HTTP' } = observation
    return { ...withRow(wire, { id, tab, method }), sent: { ...wire.sent, [method]: sentOf(wire, method) + 1 } }
  }
  if (observation.type === 'wire-event') {
    const { at, body, method = 'response' } = observation
    return withRow(wire, { id: `${id}.${at}.${wire.added}`, tab, method, answer: wordsOf(body) })
  }
  const answer =
    observation.type === 'wire-failed' ? 'no response' : wordsOf(observation.body, observation.http?.status)
  const rows = wire.rows.map((row) => (row.id === id ? { ...row, answer, ms: Math.round(observation.ms) } : row))
  return { ...wire, rows }
}

/** How often a method was sent, whatever became of it. */
export function sentOf({ sent }: Wire, method: string): number {
  return sent[method] ?? 0
}

function withRow({ rows, added, sent }: Wire, row: WireRow): Wire {
  return { rows: [...rows, row].slice(-MAX_ROWS), added: added + 1, sent }
}

/** What matters of a message, for people. */
function wordsOf(body: string | undefined, status = 200): string {
  const { result = {}, params = result, error } = read(body)
  if (error?.message !== undefined) return `error: ${error.message}`
  const parts = [params.status, params.statusMessage ?? progressOf(params)].filter((part) => part !== undefined)
  return parts.length === 0 && status >= 300 ? String(status) : parts.join(', ')
}

interface Message {
  readonly result?: About
  /** Of a notification. */
  readonly params?: About
  readonly error?: { readonly message?: string }
}

/** What a message says of a task. */
interface About {
  readonly status?: string
  readonly statusMessage?: string
  readonly _meta?: Record<string, { readonly message?: string } | undefined>
}

function progressOf({ _meta }: About): string | undefined {
  return _meta?.['dev.taskwire/progress']?.message
}

function read(body = '{}'): Message {
  try {
    return Object(JSON.parse(body))
  } catch {
    // Longer than what is told of it.
    return {}
  }
}
