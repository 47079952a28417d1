import { type Call, taskIdOf } from '../call/call.js'
import type { CallEntry } from '../call/callEntry.js'
import type { RecordOwner } from '../call/callRecord.js'
import type { CallMessage } from '../call/callTabs.js'
import { isSettled } from '../call/toolCallState.js'
import type { RecordStore } from '../storage/recordStore.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import type { Forgetting } from './forgetting.js'
import type { Forgotten } from './forgotten.js'
import type { PageCalls } from './pageCalls.js'
import type { RecordHandOver } from './recordHandOver.js'

export interface TabNewsOptions {
  readonly calls: PageCalls
  readonly records: Pick<RecordStore, 'read' | 'has'>
  readonly owner: RecordOwner
  readonly forgotten: Pick<Forgotten, 'has'>
  readonly dropForgotten: Forgetting['dropForgotten']
  readonly handOver: Pick<RecordHandOver, 'give' | 'receive'>
  /** True if calls that other tabs make are followed here, too. */
  readonly followsUnobserved: boolean
  /** Aborted when the client is closed. */
  readonly signal: AbortSignal
}

/** What the calls of this page take from the other tabs. */
export interface TabNews {
  /** What another tab posts about a call. */
  receive(callId: string, message: CallMessage): void
  /** A page in the back-forward cache receives no messages. What happened to the call meanwhile is in its record. */
  catchUp(entry: CallEntry): Promise<void>
}

export function createTabNews(options: TabNewsOptions): TabNews {
  const { calls, records, owner, handOver } = options

  /**
   * Another tab has made the call anew. Two that do so in the same moment agree on the task that is recorded:
   *
   * ```text
   * tab A  task 1 ▪ writes ── posts ───────── receives task 2, reads task 2, follows it
   * tab B     task 2 ────── writes ▪ posts ── receives task 1, reads task 2, stays
   * ```
   */
  async function followInstead(entry: CallEntry, posted?: ToolCallRecord): Promise<void> {
    if (taskIdOf(entry.call) === undefined || (posted !== undefined && !isOther(entry.call, posted))) return
    const found = (await records.read(entry.call.callId)) ?? posted
    if (found !== undefined && isOther(entry.call, found)) calls.adopt(entry, found)
  }

  /** True for a record of this server and account. */
  function isOwn(record: ToolCallRecord, callId: string): boolean {
    return record.callId === callId && record.endpoint === owner.endpoint && record.scope === owner.scope
  }

  function takeRecord(callId: string, record: ToolCallRecord): void {
    if (!isOwn(record, callId) || options.forgotten.has(callId, record.startedAt)) return
    const known = calls.entries.get(callId)
    calls.waiting.get(callId)?.({ record })
    handOver.receive(callId, record)
    if (known !== undefined && !isAnew(known, record)) void followInstead(known, record)
    else if (options.followsUnobserved && !options.signal.aborted) calls.follow(record)
  }

  return {
    receive: (callId, message) => {
      const known = calls.entries.get(callId)
      if (message.type === 'settled') {
        const { outcome, argumentsHash } = message
        calls.waiting.get(callId)?.({ outcome, argumentsHash })
      } else if (message.type === 'created') takeRecord(callId, message.record)
      else if (known !== undefined) handOver.give(known)
    },
    catchUp: async (entry) => {
      const { callId } = entry.call
      if ('record' in entry.call && entry.call.record === 'kept' && !(await records.has(callId))) {
        if (calls.entries.get(callId) === entry) options.dropForgotten(callId)
        return
      }
      await followInstead(entry)
    },
  }
}

/** True where a call that is over here was made anew in another tab, and did not only have its task resumed there. */
function isAnew({ call, shown }: CallEntry, { startedAt, task }: ToolCallRecord): boolean {
  return isSettled(shown) && startedAt > call.startedAt && task?.taskId !== shown.task?.taskId
}

/** True for the record of a task other than the one that the call follows. */
function isOther(call: Call, { task }: ToolCallRecord): boolean {
  const taskId = taskIdOf(call)
  return task !== undefined && taskId !== undefined && task.taskId !== taskId
}
