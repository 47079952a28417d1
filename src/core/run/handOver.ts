import type { CallRecord } from '../record/record.js'
import { onAbort } from '../time/abort.js'
import type { ReadFound } from './run.js'

/** How long other tabs have to hand over the record of a call, in ms. */
const HAND_OVER_MS = 1000

/**
 * Reads what earlier pages have left of a call. If its task id names a session, only the tabs that follow the task know
 * it, and no storage that others can read:
 *
 * ```text
 * tab A  follows the task ─────────────── tells
 * tab B       reads: held by others ─ asks ─────── follows, too
 * ```
 */
export const readHandedOver: ReadFound = async (run, callId, found) => {
  const { wantedRecords, environment, tabs } = run
  if (found?.held === undefined) return found
  const told = await new Promise<CallRecord | undefined>((resolve) => {
    const takers = wantedRecords.get(callId) ?? new Set()
    const end = (record?: CallRecord) => {
      environment.clearTimeout(timer)
      stopListening()
      takers.delete(end)
      if (takers.size === 0) wantedRecords.delete(callId)
      resolve(record)
    }
    wantedRecords.set(callId, takers.add(end))
    const timer = environment.setTimeout(end, HAND_OVER_MS)
    let stopListening = () => {}
    stopListening = onAbort(run.closing.signal, end)
    tabs.post({ type: 'ask', callId })
  })
  return told ?? (found.held === 'ended' ? undefined : found)
}
