import { onAbort } from '../call/abort.js'
import { isTracked } from '../call/call.js'
import type { CallEntry } from '../call/callEntry.js'
import { type RecordOwner, recordOf } from '../call/callRecord.js'
import type { Environment } from '../environment/environment.js'
import type { RecordStore } from '../storage/recordStore.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import type { Tabs } from '../tabs/createTabs.js'

export interface RecordHandOverOptions {
  readonly environment: Environment
  readonly records: Pick<RecordStore, 'read'>
  readonly owner: RecordOwner
  readonly tabs: Pick<Tabs, 'postCall'>
  /** Aborted when the client is closed. */
  readonly signal: AbortSignal
}

/**
 * What earlier pages have left of a call. Where its task id names a session, that is in the tabs that follow the
 * task, and in no storage that others can read:
 *
 * ```text
 * tab A  follows the task ─────────────── posts the record
 * tab B       reads: held by others ─ asks ─────────────── follows, too
 * ```
 */
export interface RecordHandOver {
  read(callId: string): Promise<ToolCallRecord | undefined>
  /** Takes the record that another tab has posted. */
  receive(callId: string, record: ToolCallRecord): void
  /** Posts the record of a call to a tab that cannot read it. */
  give(entry: CallEntry): void
}

/** How long other tabs have to hand over the record of a call, in ms. */
const HAND_OVER_MS = 1000

export function createRecordHandOver({
  environment,
  records,
  owner,
  tabs,
  signal,
}: RecordHandOverOptions): RecordHandOver {
  /** Called with the record of a call that another tab has, where this one has asked for it. */
  const wanted = new Map<string, (record: ToolCallRecord) => void>()
  return {
    read: async (callId) => {
      const found = await records.read(callId)
      if (found?.held === undefined) return found
      let release = () => {}
      const posted = await new Promise<ToolCallRecord | undefined>((resolve) => {
        const others = wanted.get(callId)
        const take = (record: ToolCallRecord) => {
          others?.(record)
          resolve(record)
        }
        wanted.set(callId, take)
        const timer = environment.setTimeout(() => resolve(undefined), HAND_OVER_MS)
        const unsubscribe = onAbort(signal, () => resolve(undefined))
        release = () => {
          environment.clearTimeout(timer)
          unsubscribe()
          if (wanted.get(callId) === take) wanted.delete(callId)
        }
        tabs.postCall(callId, { type: 'wanted' })
      })
      release()
      return posted ?? (found.held === 'ended' ? undefined : found)
    },
    receive: (callId, record) => wanted.get(callId)?.(record),
    give: ({ call, record = isTracked(call) ? recordOf(call, owner, environment.now()) : undefined }) => {
      if (record !== undefined) tabs.postCall(call.callId, { type: 'created', record })
    },
  }
}
