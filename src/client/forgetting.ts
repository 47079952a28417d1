import { type RecordOwner, recordOf } from '../call/callRecord.js'
import type { RecordStore } from '../storage/recordStore.js'
import type { Tabs } from '../tabs/createTabs.js'
import type { EndedCalls } from './endedCalls.js'
import type { Forgotten } from './forgotten.js'
import type { PageCalls } from './pageCalls.js'

export interface ForgettingOptions {
  readonly calls: PageCalls
  readonly ended: Pick<EndedCalls, 'get'>
  readonly forgotten: Forgotten
  readonly records: Pick<RecordStore, 'remove' | 'clear'>
  readonly owner: RecordOwner
  readonly tabs: Pick<Tabs, 'postForgotten'>
  readonly now: () => number
  /** Called when calls have left this page: one, or all that were not made since. */
  readonly onForgotten: (callId: string | undefined) => void
}

/** Drops calls and their records, here and in the other tabs. */
export interface Forgetting {
  forget(callId: string): Promise<void>
  forgetAll(scope?: string): Promise<void>
  /** A call, or every one, was forgotten in another tab. */
  receive(callId: string | undefined, at: number): void
  /** A call was forgotten elsewhere, where its record was removed, too. `at`: when, ms since the epoch. */
  dropForgotten(callId: string, at?: number): void
}

export function createForgetting(options: ForgettingOptions): Forgetting {
  const { calls, ended, forgotten, records, owner, tabs, now, onForgotten } = options

  /**
   * What this page may have written since goes as well, but not what belongs to a call made since:
   *
   * ```text
   * tab A  forgets ─ calls anew ─ task 2
   * tab B  frozen ····················· wakes ─ finds task 2 in storage ─ receives that the call was forgotten
   * ```
   */
  function dropForgotten(callId: string, at = Number.POSITIVE_INFINITY): void {
    const entry = calls.entries.get(callId)
    const record = entry ? recordOf(entry.call, owner, now()) : ended.get(callId)
    if (record === undefined) return
    const { startedAt } = record
    // A `startedAt` in the future was recorded before the clock was set back.
    if (startedAt > at && startedAt <= now()) return
    calls.drop(callId)
    void records.remove(callId, record)
  }

  async function dropAll(scope: string): Promise<void> {
    const own = scope === owner.scope ? calls.callIds() : []
    for (const callId of own) calls.drop(callId)
    if (scope === owner.scope) onForgotten(undefined)
    // Each by itself, too: a record may still be on its way into a storage that takes its time.
    await Promise.all([records.clear(scope), ...own.map((callId) => records.remove(callId))])
  }

  return {
    dropForgotten,
    receive: (callId, at) => {
      forgotten.note(callId, at)
      for (const id of callId === undefined ? calls.callIds() : [callId]) dropForgotten(id, at)
      onForgotten(callId)
    },
    forget: (callId) => {
      tabs.postForgotten(forgotten.forget(callId), callId)
      calls.drop(callId)
      onForgotten(callId)
      return records.remove(callId)
    },
    forgetAll: (scope = owner.scope) => {
      tabs.postForgotten(scope === owner.scope ? forgotten.forget() : now(), undefined, scope)
      return dropAll(scope)
    },
  }
}
