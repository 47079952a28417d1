import type { CallRecord } from '../record/record.js'
import { onAbort } from '../time/abort.js'
import type { Runner } from './runner.js'

/** Records that only other tabs can read. */
export interface HandOver {
  /**
   * Reads what earlier pages have left of a call. If its task id names a session, only the tabs that follow the task know
   * it, and no storage that others can read:
   *
   * ```text
   * tab A  follows the task ─────────────── tells
   * tab B       reads: held by others ─ asks ─────── follows, too
   * ```
   */
  readFound(callId: string): Promise<CallRecord | undefined>
  /** Takes the record that another tab has told. */
  receive(record: CallRecord): void
}

/** How long other tabs have to hand over the record of a call, in ms. */
const HAND_OVER_MS = 1000

/** @param signal Aborted when the client is closed. */
export function createHandOver(run: Pick<Runner, 'records' | 'tabs' | 'environment'>, signal: AbortSignal): HandOver {
  const { records, tabs } = run
  /** Called with the record of a call that another tab has, where this one has asked for it. */
  const wanted = new Map<string, Set<(record: CallRecord) => void>>()

  return {
    receive: (record) => {
      for (const take of wanted.get(record.callId) ?? []) take(record)
    },

    readFound: async (callId) => {
      const found = await records.read(callId)
      if (found?.held === undefined) return found
      const told = await new Promise<CallRecord | undefined>((resolve) => {
        const takers = wanted.get(callId) ?? new Set()
        const end = (record?: CallRecord) => {
          run.environment.clearTimeout(timer)
          stopListening()
          takers.delete(end)
          if (takers.size === 0) wanted.delete(callId)
          resolve(record)
        }
        wanted.set(callId, takers.add(end))
        const timer = run.environment.setTimeout(end, HAND_OVER_MS)
        let stopListening = () => {}
        stopListening = onAbort(signal, end)
        tabs.post({ type: 'ask', callId })
      })
      return told ?? (found.held === 'ended' ? undefined : found)
    },
  }
}
