import { isSpanContextValid, type SpanContext } from '@opentelemetry/api'
import type { Environment } from '../../core/environment/environment.js'
import { isJsonObject } from '../../core/protocol/json.js'

/** The span by which a page follows a call, for the page that goes on with the call. */
export interface SpanNote extends Pick<SpanContext, 'traceId' | 'spanId' | 'traceFlags'> {
  readonly callId: string
  /** When the `tools/call` went out, ms since the epoch. */
  readonly sentAt: number
  /** True once that page has gone, or is frozen, and has ended the span. */
  readonly isLeft: boolean
}

/**
 * Notes of the calls that are traced, shared by the tabs of a browser. At any time one page has the span of a call:
 *
 * ```text
 * page A  tools/call: writes the note ── is unloaded: marks it as left
 * page B                     another tab: finds no left note, has no span
 * page C  the page after the reload:          finds it left, takes it: a span with a link to A's ── settled: removes it
 * ```
 *
 * Where there is no storage, or it cannot be written, a call that is resumed has no second span.
 */
export interface SpanNotes {
  write(note: SpanNote): void
  /** The note of a call whose page has gone. */
  readLeft(callId: string): SpanNote | undefined
  remove(callId: string): void
}

/** One item, not one a call: so that calls which are forgotten leave nothing behind. */
const ITEM = 'taskwire-otel'

/** As many calls as are noted. The oldest goes first. */
const MAX_NOTES = 100

export function createSpanNotes(environment: Pick<Environment, 'storage'>): SpanNotes {
  function read(): readonly SpanNote[] {
    try {
      const parsed: unknown = JSON.parse(environment.storage('local')?.getItem(ITEM) ?? '[]')
      return Array.isArray(parsed) ? parsed.filter(isNote) : []
    } catch {
      return []
    }
  }

  function replace(callId: string, notes: readonly SpanNote[]): void {
    const others = read().filter((other) => other.callId !== callId)
    try {
      environment.storage('local')?.setItem(ITEM, JSON.stringify([...others, ...notes].slice(-MAX_NOTES)))
    } catch {
      // Full or forbidden: see above.
    }
  }

  return {
    write: (note) => replace(note.callId, [note]),
    readLeft: (callId) => read().find((note) => note.callId === callId && note.isLeft),
    remove: (callId) => replace(callId, []),
  }
}

function isNote(value: unknown): value is SpanNote {
  if (!isJsonObject(value)) return false
  const { callId, sentAt, traceId, spanId, traceFlags } = value
  const areNumbers = typeof sentAt === 'number' && typeof traceFlags === 'number'
  return typeof callId === 'string' && typeof traceId === 'string' && typeof spanId === 'string' && areNumbers
}

/** The context to link to; none where there was no SDK to make a span. */
export function linksTo(note: SpanNote | undefined): { context: SpanContext }[] {
  if (note === undefined) return []
  const { traceId, spanId, traceFlags } = note
  const context = { traceId, spanId, traceFlags, isRemote: true }
  return isSpanContextValid(context) ? [{ context }] : []
}
