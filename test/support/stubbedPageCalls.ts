import type { Call } from '../../src/call/call.js'
import { type CallEntry, createEntry } from '../../src/call/callEntry.js'
import type { PageCalls } from '../../src/client/pageCalls.js'
import type { ToolCall } from '../../src/client/taskClient.js'
import { recordedTask, type ToolCallRecord } from '../../src/storage/toolCallRecord.js'
import { START } from './stubbedCall.js'
import { TRACKED } from './trackedCall.js'

/** The call that follows the task of a record, or waits where that names none. */
export function callOf({ callId, tool: name, key, startedAt, task }: ToolCallRecord): Call {
  const identity = { callId, name, key, startedAt }
  if (task === undefined) return { ...identity, stage: 'waiting', for: 'lock' }
  return { ...identity, ...TRACKED, task: recordedTask(task), stage: 'following' }
}

/** The same, once its task has ended. */
export function settledOf(record: ToolCallRecord): Call {
  const { callId, tool: name, key, startedAt, task } = record
  const outcome = { result: { content: [] } }
  const settled = { callId, name, key, startedAt, stage: 'settled' as const, outcome, endedAt: startedAt }
  return { ...settled, task: task && recordedTask(task) }
}

/** The calls of a page that follows nothing: what would be done about them is logged. */
export function stubPageCalls(log: unknown[][], known: readonly Call[] = []) {
  const entries = new Map<string, CallEntry>()
  const handle = (callId: string) => ({ callId }) as ToolCall
  const put = (call: Call): CallEntry => {
    const entry = createEntry(call)
    entries.set(call.callId, entry)
    return entry
  }
  const calls: PageCalls = {
    entries,
    waiting: new Map(),
    newCall: (callId, name, key) => ({ callId, name, key, startedAt: START, stage: 'waiting', for: 'lock' }),
    begin: put,
    follow: (record) => {
      log.push(['follow', record])
      return put(callOf(record))
    },
    adopt: ({ call }, record) => void log.push(['adopt', call.callId, record]),
    open: (record) => {
      log.push(['open', record])
      return put(callOf(record))
    },
    over: (identity, error, endedAt) => {
      log.push(['over', identity, error, endedAt])
      return put({ ...identity, stage: 'settled', outcome: { error }, endedAt })
    },
    findTask: (taskId) => [...entries.values()].find(({ shown }) => shown.task?.taskId === taskId),
    handle: ({ call }) => handle(call.callId),
    refuse: ({ callId }, reason) => {
      log.push(['refuse', callId, reason])
      return handle(callId)
    },
    callIds: () => [...entries.keys()],
    drop: (callId) => {
      log.push(['drop', callId])
      entries.delete(callId)
    },
  }
  for (const call of known) put(call)
  return { calls, put }
}
