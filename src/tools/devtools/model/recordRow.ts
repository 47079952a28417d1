import { withoutId } from '../../../core/protocol/text.js'
import { decodeCallRecord } from '../../../core/record/codec.js'
import { titleOf } from '../../../core/record/toolCallState.js'
import { type Fact, taskName, withValues } from './callRow.js'
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
  /** Those that have a value. */
  readonly facts: readonly Fact[]
}

/** What keys of records begin with. */
export const RECORD_PREFIX = 'taskwire:'

/** What a record says. Of the id of its task it shows the short hash, and of what cannot be read nothing but its size. */
export function recordRow({ storage, key, text }: StoredItem, now: number): RecordRow {
  const record = decodeCallRecord(text, now)
  if (record === undefined) {
    const summary = `${text.length} characters that this version cannot read`
    return { key, storage, name: 'Another record', summary, facts: [] }
  }
  const { tool, meta, task: known, callId, endpoint, scope, startedAt, held } = record
  const task = known?.task
  const ago = (at: number | undefined) => (at ? `${duration(now - at)} ago` : undefined)
  const kept = held && `${held}; the id of its task is with the tab that follows it`
  const status = known?.lost ? `lost (${known.lost.reason})` : task?.status
  return {
    key,
    storage,
    name: titleOf({ name: tool, meta }),
    summary: status ?? kept ?? 'no response yet',
    facts: withValues([
      ['Tool', tool],
      ['Call', callId],
      ['Key', record.key],
      ['Meta', JSON.stringify(meta)],
      ['Endpoint', endpoint],
      ['Scope', scope],
      ['Revision', known?.era === 'legacy' ? '2025-11-25' : '2026-07-28'],
      ['Started', ago(startedAt)],
      ['Task', task === undefined ? kept : `${taskName(task.taskId)} (short hash)`],
      ['Status', status],
      ['Received', ago(known?.receivedAt)],
      ['Newest snapshot', ago(known?.snapshotAt)],
      ['Kept by the server', task && (task.ttlMs === null ? 'for good' : `for ${duration(task.ttlMs)}`)],
      ['Not polled before', known?.earliestAt ? pollTime(known.earliestAt - now) : undefined],
      ['Answered requests', withoutId(known?.answered.join(', ') ?? '', task?.taskId)],
      ['Cancellation', known?.cancelling.isWanted ? 'requested' : undefined],
    ]),
  }
}

function pollTime(ms: number): string {
  return ms > 0 ? `in ${duration(ms)}` : `${duration(-ms)} ago`
}
