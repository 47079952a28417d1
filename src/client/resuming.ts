import type { Call } from '../call/call.js'
import type { CallEntry } from '../call/callEntry.js'
import type { RecordOwner } from '../call/callRecord.js'
import { planStart } from '../call/planStart.js'
import type { TaskPort } from '../call/taskPort.js'
import { isSettled } from '../call/toolCallState.js'
import { TaskConfigurationError, ToolCallInterruptedError } from '../protocol/errors.js'
import type { RecordStore } from '../storage/recordStore.js'
import { isEnded, isTaskOver, type ToolCallRecord } from '../storage/toolCallRecord.js'
import type { Tabs } from '../tabs/createTabs.js'
import { taskCallId, toolCallId } from './callIds.js'
import { type EndedCalls, MAX_LISTED } from './endedCalls.js'
import type { PageCalls } from './pageCalls.js'
import type { RecordHandOver } from './recordHandOver.js'
import type { TaskReference, ToolCall, ToolCallOptions } from './taskClient.js'

export interface ResumingOptions {
  readonly calls: PageCalls
  readonly ended: Pick<EndedCalls, 'list'>
  readonly handOver: Pick<RecordHandOver, 'read'>
  readonly port: Pick<TaskPort, 'isRepeatable'>
  readonly records: Pick<RecordStore, 'read' | 'write' | 'update' | 'list'>
  readonly owner: RecordOwner
  readonly tabs: Pick<Tabs, 'open' | 'lock' | 'postCall'>
  readonly now: () => number
  /** Aborted when the client is closed. */
  readonly signal: AbortSignal
}

/** Goes on with what earlier pages, or the app itself, have begun. */
export interface Resuming {
  resumeTask(task: TaskReference, options: Pick<ToolCallOptions, 'signal' | 'key'>): ToolCall
  resumeToolCalls(filter?: { callId?: string }): Promise<readonly ToolCall[]>
}

export function createResuming(options: ResumingOptions): Resuming {
  const { calls, records, tabs, signal: closing } = options
  const { entries, handle } = calls

  /** Takes up one call, whatever its record says. */
  async function resumeCall(callId: string): Promise<readonly ToolCall[]> {
    const found = await options.handOver.read(callId)
    if (closing.aborted || found === undefined) return []
    const known = entries.get(callId)
    if (found.task === undefined && known === undefined) return resumeIntent(found, options)
    return [handle(known ?? calls.open(found))]
  }

  /** What is followed of a record that earlier pages have left; the rest is listed in the store. */
  function resumeRecord(record: ToolCallRecord): ToolCall[] {
    if (record.held === 'working') tabs.postCall(record.callId, { type: 'wanted' })
    const known = entries.get(record.callId)
    // A call that was interrupted is listed once no other tab is waiting for its response.
    if (record.task === undefined && known === undefined && record.held === undefined)
      void resumeIntent(record, options)
    if (record.task === undefined || isTaskOver(record.task)) {
      if (known === undefined) options.ended.list(record)
      return []
    }
    return [handle(known ?? calls.findTask(record.task.taskId) ?? calls.follow(record))]
  }

  return {
    resumeTask: ({ taskId, name = '' }, { key, signal }) => {
      if (key !== undefined && name === '') {
        throw new TaskConfigurationError(
          'resumeTask with a key needs the name of the tool, which the key belongs to: pass { taskId, name }.',
        )
      }
      const callId = key === undefined ? taskCallId(options.owner, taskId) : toolCallId(options.owner, name, key)
      const call = calls.newCall(callId, name, key)
      if (signal?.aborted) return calls.refuse(call, signal.reason)
      const known = calls.findTask(taskId)
      const isWanted = key === undefined || known?.call.callId === callId
      if (known !== undefined && (isWanted || !isSettled(known.shown))) return handle(known, signal)
      if (closing.aborted) return calls.refuse(call, closing.reason)
      const other = entries.get(callId)
      if (other !== undefined && !isSettled(other.shown)) {
        throw new TaskConfigurationError(
          `A call of "${name}" with the key ${JSON.stringify(key)} is running, and its task is another one. Use another key, or forget() that call.`,
        )
      }
      const record = resumedRecord(call, taskId, options.owner, options.now())
      const entry = calls.follow(record)
      tabs.postCall(callId, { type: 'created', record })
      // Named after its task, a record can be of no other one.
      if (key === undefined) void records.update(record)
      else void noteResumed(record, entry, options)
      return handle(entry, signal)
    },

    resumeToolCalls: async ({ callId } = {}) => {
      if (closing.aborted) return []
      tabs.open()
      if (callId !== undefined) return resumeCall(callId)
      const found = await records.list()
      const over = found.filter((record) => isEnded(record) && !entries.has(record.callId))
      const unlisted = new Set(over.slice(0, -MAX_LISTED))
      return closing.aborted ? [] : found.flatMap((record) => (unlisted.has(record) ? [] : resumeRecord(record)))
    },
  }
}

/** A `tools/call` went out and its response is not recorded: the page that was to get it is gone, or still waits for it. */
async function resumeIntent(intent: ToolCallRecord, options: ResumingOptions): Promise<readonly ToolCall[]> {
  const { calls, records, signal: closing } = options
  const { callId, tool } = intent
  if (planStart(intent, 'resume', await options.port.isRepeatable(tool)) === 'nothing') return []
  let unlock = () => {}
  try {
    unlock = await options.tabs.lock(callId, closing)
    const found = await records.read(callId)
    if (closing.aborted || found === undefined) return []
    const known = calls.entries.get(callId)
    if (known !== undefined) return [calls.handle(known)]
    switch (planStart(found, 'resume', false)) {
      case 'follow':
        return [calls.handle(calls.follow(found))]
      case 'interrupted':
        return [calls.handle(interrupted(calls, found))]
      default:
        return []
    }
  } catch (error) {
    if (closing.aborted) return []
    throw error
  } finally {
    unlock()
  }
}

function interrupted(calls: PageCalls, { callId, tool, key, startedAt, idempotencyKey }: ToolCallRecord): CallEntry {
  const error = new ToolCallInterruptedError(tool, { callId })
  const entry = calls.over({ callId, name: tool, key, startedAt }, error, startedAt)
  entry.isUnanswered = idempotencyKey !== undefined
  return entry
}

/** The record of a task that the app names. */
function resumedRecord(
  { callId, name, key, startedAt }: Call,
  taskId: string,
  owner: RecordOwner,
  now: number,
): ToolCallRecord {
  const identity = {
    callId,
    tool: name,
    ...(key !== undefined && { key }),
    ...owner,
    era: 'modern' as const,
    startedAt,
  }
  const times = { receivedAt: now, createdAt: '', lastUpdatedAt: '', ttlMs: null }
  return { ...identity, task: { taskId, status: 'working', ...times, answered: [], isCancelling: false } }
}

/**
 * Writes the record of a task that the app names: not over what an earlier page has noted of it, nor over
 * another one that is at work.
 */
async function noteResumed(
  record: ToolCallRecord,
  entry: CallEntry,
  { calls, records }: Pick<ResumingOptions, 'calls' | 'records'>,
): Promise<void> {
  const found = await records.read(record.callId)
  if (calls.entries.get(record.callId) !== entry) return
  const isOver = found?.task === undefined || isTaskOver(found.task)
  const isOther = found?.task?.lost !== undefined || found?.task?.taskId !== record.task?.taskId
  await (isOver && isOther ? records.write(record) : records.update(record))
}
