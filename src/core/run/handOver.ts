import type { CallRecord } from '../record/record.js'
import { MESSAGE_DELAY_MS, onceHeard } from '../tabs/tabs.js'
import type { ReadFound, Run } from './run.js'

/** How long other tabs have to hand over the record of a call, in ms. */
const HAND_OVER_MS = 1000

/**
 * Reads what earlier pages have left of a call. Where the storage is of this tab alone, or does not answer, the tabs that follow the
 * call know of it:
 *
 * ```text
 * tab A  follows the task ──────────── tells
 * tab B       reads: nothing ─ asks ───────── follows, too; after 100 ms without an answer, makes the call
 * ```
 */
export const readOrAsk: ReadFound = (run, callId, found) => {
  if (typeof found === 'object') return found
  const isKnown = run.tabs.isAlone || (run.tabsShareStorage && found !== 'silent')
  return isKnown ? undefined : askTabs(run, callId, MESSAGE_DELAY_MS)
}

/**
 * The same. If the task id of a call names a session, only the tabs that follow the task know it, and no storage that others can read:
 *
 * ```text
 * tab A  follows the task ─────────────── tells
 * tab B       reads: held by others ─ asks ─────── follows, too
 * ```
 */
export const readHandedOver: ReadFound = async (run, callId, found) => {
  if (typeof found !== 'object' || found.held === undefined) return readOrAsk(run, callId, found)
  const told = await askTabs(run, callId, HAND_OVER_MS)
  return told ?? (found.held === 'ended' ? undefined : found)
}

/** Asks the other tabs for the record of a call. Undefined where none of them answers in time. */
function askTabs(run: Run, callId: string, forMs: number): Promise<CallRecord | undefined> {
  const { wantedRecords, environment, tabs, closing } = run
  if (closing.signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const take = (record?: CallRecord) => {
      if (record && record.callId !== callId) return
      environment.clearTimeout(timer)
      wantedRecords.delete(take)
      resolve(record)
    }
    wantedRecords.add(take)
    const timer = onceHeard(environment, take, forMs)
    tabs.post({ type: 'ask', callId })
  })
}
