import { TaskExpiredError } from '../protocol/errors.js'
import type { RecordStore } from '../storage/recordStore.js'
import { type RecordedTask, resumeAt } from '../storage/toolCallRecord.js'
import { type Call, type CallEvent, isTracked, taskIdOf } from './call.js'
import type { CallEntry } from './callEntry.js'
import { isRecorded, type RecordOwner, recordFate, recordOf } from './callRecord.js'
import type { CallTabs } from './callTabs.js'
import type { TaskPort } from './taskPort.js'

export interface RecordWriterOptions {
  readonly records: Pick<RecordStore, 'write' | 'update' | 'read' | 'find' | 'remove'>
  readonly owner: RecordOwner
  readonly port: Pick<TaskPort, 'era'>
  readonly tabs: Pick<CallTabs, 'postTask'>
  readonly now: () => number
  readonly dispatch: (entry: CallEntry, event: CallEvent) => void
}

/** Keeps the records of calls as the calls are. */
export interface RecordWriter {
  /** Writes the record; a synchronous storage has it before this returns. `ifMissing`: unless another tab has. */
  write(entry: CallEntry, ifMissing?: boolean): Promise<void>
  /** Reads when other pages have noted that the task may be polled. */
  readNote(entry: CallEntry, taskId: string): Promise<void>
  /** True if any tab has recorded that the input request was answered. */
  isAnswered(callId: string, taskId: string, inputKey: string): Promise<boolean>
  noteResponded(entry: CallEntry, taskId: string, inputKey: string): Promise<void>
  /** Keeps or removes the record of a call that ends. */
  close(entry: CallEntry, error: Error | undefined): Promise<void>
}

export function createRecordWriter({ records, owner, port, tabs, now, dispatch }: RecordWriterOptions): RecordWriter {
  async function write(entry: CallEntry, ifMissing = false, lost?: RecordedTask['lost']): Promise<void> {
    // Not what was posted alone: what has been received in the meantime counts, too.
    if (ifMissing && isRecorded((await records.read(entry.call.callId))?.task, recordOf(entry.call, owner, now())))
      return
    const at = now()
    const { call } = entry
    if (!isTracked(call) || call.record === 'removed' || entry.left !== undefined) return
    const record = recordOf(call, owner, at, lost)
    const isFirst = call.record === 'unwritten'
    const isThere = await (isFirst ? records.write(record) : records.update(record, call.record !== 'failed'))
    if (isThere || isFirst) dispatch(entry, { type: 'recorded', record: isThere ? 'kept' : 'failed' })
  }

  return {
    write,

    readNote: async (entry, taskId) => {
      const record = await records.find(entry.call.callId)
      if (record === 'unreadable') {
        const nextPollAt = isThere(entry.call) ? record : undefined
        return dispatch(entry, { type: 'next-poll-read', nextPollAt })
      }
      const stored = record?.task
      const isNoted = stored?.taskId === taskId && stored.nextPollAt !== undefined
      dispatch(entry, { type: 'next-poll-read', nextPollAt: isNoted ? resumeAt(stored, now()) : undefined })
    },

    isAnswered: async (callId, taskId, inputKey) => {
      const stored = (await records.read(callId))?.task
      return stored?.taskId === taskId && stored.answered.includes(inputKey)
    },

    // The task may be over by now, or the call made anew, while other pages still show the input request.
    noteResponded: async (entry, taskId, inputKey) => {
      if (taskIdOf(entry.call) === taskId) return dispatch(entry, { type: 'responded', inputKey })
      if (entry.left !== undefined) return
      tabs.postTask(taskId, { type: 'responded', inputKey })
      const stored = await records.read(entry.call.callId)
      if (stored?.task?.taskId !== taskId) return
      const answered = [...stored.task.answered, inputKey]
      await records.update({ ...stored, task: { ...stored.task, answered } }, true)
    },

    close: async (entry, error) => {
      const { call } = entry
      const fate = recordFate(call, error, entry.isSent === true, port.era, entry.isRepeated)
      const lost = error instanceof TaskExpiredError ? { at: now(), reason: error.reason } : undefined
      if (fate === 'keep') await write(entry, false, lost)
      if (fate !== 'remove' || entry.left !== undefined) return
      dispatch(entry, { type: 'recorded', record: 'removed' })
      await records.remove(call.callId, recordOf(call, owner, now()))
    },
  }
}

/** True as far as this page knows. */
function isThere(call: Call): boolean {
  return isTracked(call) && (call.record === 'kept' || call.record === 'assumed')
}
