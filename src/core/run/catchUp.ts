import { merge } from '../record/merge.js'
import type { CallRecord } from '../record/record.js'
import { onAbort } from '../time/abort.js'
import type { CallEntry } from './entries.js'
import type { PageCalls } from './pageCalls.js'
import type { Runner } from './runner.js'

/** What the calls of this page take from their records, which other pages write, too. */
export interface CatchUp {
  /** A page in the back-forward cache receives no messages. What happened to the call meanwhile is in its record. */
  catchUp(entry: CallEntry): Promise<void>
  /** The call may have been made again. `told`: what another tab says. */
  followInstead(entry: CallEntry, told?: CallRecord): Promise<void>
  /** Drops a call that was forgotten elsewhere at `at`, ms since the epoch. */
  dropForgotten(callId: string, at?: number): void
}

export function createCatchUp(run: Runner, calls: PageCalls, onForgotten: (callId: string) => void): CatchUp {
  const { records } = run

  /**
   * Another tab has made the call again. Two that do so in the same moment agree on the task that is recorded:
   *
   * ```text
   * tab A  task 1 ▪ writes ── tells ───────── receives task 2, reads task 2, follows it
   * tab B     task 2 ────── writes ▪ tells ── receives task 1, reads task 2, stays
   * ```
   */
  async function followInstead(entry: CallEntry, told?: CallRecord): Promise<void> {
    const taskId = entry.task?.taskId
    if (taskId === undefined) return
    const stored = await records.read(entry.call.callId)
    // Where none of them can write, the later one counts, so that they do not swap their tasks for ever.
    const found = stored ?? (told !== undefined && isLater(told, entry) ? told : undefined)
    if (found?.task === undefined || entry.task?.taskId !== taskId) return
    if (found.task.task.taskId !== taskId) calls.adopt(entry, found)
    else
      run.learn(entry.task, (record) => (found.task === undefined ? record : merge(record, found.task)), {
        from: 'storage',
      })
  }

  /** What this page may have written since goes as well, but not what belongs to a call made since. */
  function dropForgotten(callId: string, at = Number.POSITIVE_INFINITY): void {
    const entry = run.calls.get(callId)
    if (entry === undefined) return
    const { stage } = entry.call
    const record = stage.name === 'recorded' ? stage.record : (entry.lastRecord ?? run.recordOf(entry))
    const { startedAt, task } = record
    const now = run.now()
    // A `startedAt` in the future was recorded before the clock was set back: then the times of the task say it, which are moved with the
    // clock. If `at` is in the future, too, both are of the same clock.
    const isOfThisClock = startedAt <= now + AHEAD_MS || at > now
    const since = isOfThisClock ? startedAt : (task?.receivedAt ?? startedAt)
    if (since > at && (isOfThisClock || since <= now)) return
    calls.drop(callId)
    void records.remove(callId, record)
  }

  return {
    followInstead,
    dropForgotten,

    catchUp: async (entry) => {
      const { callId } = entry.call
      if (entry.kept === 'there' && !(await records.has(callId))) {
        if (run.calls.get(callId) !== entry) return
        dropForgotten(callId)
        return onForgotten(callId)
      }
      await followInstead(entry)
    },
  }
}

/** How far ahead of the clock a call may be started, in ms: each that is forgotten in the same millisecond adds one. */
const AHEAD_MS = 100

/** True where the task of the record was made after the one that the call follows. */
function isLater({ startedAt, task }: CallRecord, { call, task: followed }: CallEntry): boolean {
  if (startedAt !== call.startedAt) return startedAt > call.startedAt
  return (task?.task.taskId ?? '') > (followed?.taskId ?? '')
}

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
