import { decodeCallRecord } from '../../core/record/codec.js'
import { taskName } from './callRow.js'
import { duration } from './format.js'

/** What a storage has under one key. */
export interface StoredItem {
  readonly storage: string
  readonly key: string
  readonly text: string
}

/** A record, in words. */
export interface RecordRow {
  readonly key: string
  readonly storage: string
  readonly name: string
  readonly summary: string
  readonly facts: readonly (readonly [name: string, value: string])[]
}

/** What keys of records begin with. */
export const RECORD_PREFIX = 'taskwire:'

const NOTHING = '–'

/** What a record says. Of the id of its task it shows the short hash, and of what cannot be read nothing but its size. */
export function recordRow({ storage, key, text }: StoredItem, now: number): RecordRow {
  const record = decodeCallRecord(text, now)
  if (record === undefined) {
    const summary = `${text.length} characters that this version cannot read`
    return { key, storage, name: 'Another record', summary, facts: [] }
  }
  const { tool, task: known, callId, endpoint, scope, startedAt, held } = record
  const task = known?.task
  const ago = (at: number | undefined) => (!at ? NOTHING : `${duration(now - at)} ago`)
  const kept = held && `${held}; the id of its task is with the tab that follows it`
  const status = known?.lost ? `lost (${known.lost.reason})` : task?.status
  return {
    key,
    storage,
    name: tool,
    summary: status ?? kept ?? 'no response yet',
    facts: [
      ['Call', callId],
      ['Key', record.key ?? NOTHING],
      ['Endpoint', endpoint],
      ['Scope', scope || NOTHING],
      ['Revision', known?.era === 'legacy' ? '2025-11-25' : '2026-07-28'],
      ['Started', ago(startedAt)],
      ['Task', task === undefined ? (kept ?? NOTHING) : `${taskName(task.taskId)} (short hash)`],
      ['Status', status ?? NOTHING],
      ['Received', ago(known?.receivedAt)],
      ['Newest snapshot', ago(known?.snapshotAt)],
      [
        'Kept by the server',
        task === undefined ? NOTHING : task.ttlMs === null ? 'for good' : `for ${duration(task.ttlMs)}`,
      ],
      ['Not polled before', known?.earliestAt ? pollTime(known.earliestAt - now) : NOTHING],
      ['Answered requests', known?.answered.join(', ') || NOTHING],
      ['Cancellation', known?.cancelling.isWanted ? 'asked for' : NOTHING],
    ],
  }
}

function pollTime(ms: number): string {
  return ms > 0 ? `in ${duration(ms)}` : `${duration(-ms)} ago`
}
