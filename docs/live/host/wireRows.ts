import type { TaskClientObservation as Observation } from '../../../src/index.js'

/** A message and its response, as the page around a live example shows them. */
export interface WireRow {
  /** Unique among the rows of a page. */
  readonly id: string
  /** Which frame sent it. */
  readonly tab: number
  /** `tools/call`, `tasks/get`. */
  readonly method: string
  /** The response in a few words; undefined while it is awaited. */
  readonly answer?: string
  readonly ms?: number
}

/** As many as are shown. */
const MAX_ROWS = 100

/**
 * @param rows what is shown
 * @param observation of a client
 * @param page which frame, and how many times it was loaded before: exchanges are counted anew after a reload
 * @returns the rows with what was observed; the same ones where it is not of the wire
 */
export function addToWire(
  rows: readonly WireRow[],
  observation: Observation,
  page: { readonly tab: number; readonly load: number },
): readonly WireRow[] {
  if (!('exchange' in observation)) return rows
  const id = `${page.tab}.${page.load}.${observation.exchange}`
  if (observation.type === 'wire-sent') {
    const row: WireRow = { id, tab: page.tab, method: observation.method ?? 'HTTP' }
    return [...rows, row].slice(-MAX_ROWS)
  }
  if (observation.type === 'wire-event') return rows.map((row) => (row.id === id ? withEvent(row, observation) : row))
  const answer =
    observation.type === 'wire-failed' ? 'no response' : answerOf(observation.body, observation.http?.status)
  return rows.map((row) => (row.id === id ? { ...row, answer, ms: Math.round(observation.ms) } : row))
}

function withEvent(row: WireRow, { body }: Observation & { readonly body?: string }): WireRow {
  const answer = answerOf(body, undefined)
  return answer === '' ? row : { ...row, answer }
}

/** How often a tool was called, whatever became of it. */
export function countOf(rows: readonly WireRow[], method: string): number {
  return rows.filter((row) => row.method === method).length
}

/** What matters of a response, for people. */
function answerOf(body: string | undefined, status: number | undefined): string {
  const { result, error } = read(body)
  if (error?.message !== undefined) return `error: ${error.message}`
  const parts = [result?.status, result?.statusMessage ?? progressOf(result)].filter((part) => part !== undefined)
  if (parts.length > 0) return parts.join(', ')
  return status === undefined || status < 300 ? '' : String(status)
}

interface Message {
  readonly result?: {
    readonly status?: string
    readonly statusMessage?: string
    readonly _meta?: Record<string, { readonly message?: string } | undefined>
  }
  readonly error?: { readonly message?: string }
}

function progressOf(result: Message['result']): string | undefined {
  return result?._meta?.['dev.taskwire/progress']?.message
}

function read(body: string | undefined): Message {
  try {
    return Object(JSON.parse(body ?? '{}'))
  } catch {
    // Longer than what is told of it.
    return {}
  }
}
