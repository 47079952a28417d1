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

/** As many as are shown. */
const MAX_ROWS = 100

/**
 * @param rows what is shown
 * @param observation of a client
 * @param page which frame, and how many times it was loaded: exchanges are counted anew after a reload
 * @returns the rows with what was observed; the same ones where it is not of the wire
 */
export function addToWire(
  rows: readonly WireRow[],
  observation: TaskClientObservation,
  page: { readonly tab: number; readonly load: number },
): readonly WireRow[] {
  if (!('exchange' in observation)) return rows
  const { tab, load } = page
  const id = `${tab}.${load}.${observation.exchange}`
  if (observation.type === 'wire-sent') return added(rows, { id, tab, method: observation.method ?? 'HTTP' })
  if (observation.type === 'wire-event') {
    const { at, body, method = 'response' } = observation
    return added(rows, { id: `${id}.${at}.${rows.length}`, tab, method, answer: wordsOf(body) })
  }
  const answer =
    observation.type === 'wire-failed' ? 'no response' : wordsOf(observation.body, observation.http?.status)
  return rows.map((row) => (row.id === id ? { ...row, answer, ms: Math.round(observation.ms) } : row))
}

/** How often a method was asked for, whatever became of it. */
export function countOf(rows: readonly WireRow[], method: string): number {
  return rows.filter((row) => row.method === method).length
}

const added = (rows: readonly WireRow[], row: WireRow): readonly WireRow[] => [...rows, row].slice(-MAX_ROWS)

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
