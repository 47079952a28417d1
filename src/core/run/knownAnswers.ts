import { withAnswered } from '../record/merge.js'
import type { TaskRecord } from '../record/record.js'
import { aborted } from '../time/abort.js'
import { changeTask } from './changes.js'
import type { CallEntry, TaskEntry } from './entries.js'
import { isFollowed, type Run } from './run.js'
import { recordOfEntry } from './showing.js'

/*
 * What this page, the other tabs and storage know of responses to input requests.
 */

/**
 * True if any tab has responded. An input request that belongs to no task is asked in this tab alone. Where the record is
 * gone, or of a later call, the tab that has responded may be gone as well:
 *
 * ```text
 * tab A  asked ─ in the back-forward cache ·············· back ─ respond() ─ tasks/get: not asked any longer
 * tab B        responds ─ the task ends ─ calls again
 * ```
 */
export async function isAnswered(
  run: Run,
  entry: CallEntry,
  taskId: string | undefined,
  inputKey: string,
  signal: AbortSignal,
): Promise<boolean> {
  const task = taskId === undefined ? undefined : run.tasks.get(taskId)
  if (task === undefined) return false
  if (!task.record.answered.includes(inputKey)) {
    const stored = (await run.records.read(entry.call.callId))?.task
    if (stored?.task.taskId !== taskId) await untilHeard(run, task, signal)
    else if (stored?.answered.includes(inputKey))
      changeTask(run, task, (record) => noted(record, inputKey), { from: 'storage' })
  }
  return task.record.answered.includes(inputKey)
}

/** Resolves once the server has said of the task what this page may not know yet. */
async function untilHeard(run: Run, task: TaskEntry, signal: AbortSignal): Promise<void> {
  if (task.record.heardAt > task.doubtfulSince || !isFollowed(run, task)) return
  await Promise.race([new Promise<void>((resolve) => task.onHeard.push(resolve)), aborted(signal)])
}

/**
 * The server has taken the response. `before`: what was known of the task when it was sent, for it may be over by now, or
 * the call made again, while other pages still show the input request.
 */
export async function noteAnswered(
  run: Run,
  entry: CallEntry,
  taskId: string,
  inputKey: string,
  before: TaskRecord | undefined,
): Promise<void> {
  const { records, tabs } = run
  const task = run.tasks.get(taskId)
  if (task !== undefined) {
    const next = (record: TaskRecord, notedAt: number) => ({ ...noted(record, inputKey), notedAt })
    return changeTask(run, task, next, { from: 'here', write: true, tell: true })
  }
  if (entry.call.stage.name === 'left') return
  if (before !== undefined) {
    tabs.post({ type: 'record', record: { ...recordOfEntry(run, entry), task: noted(before, inputKey) } })
  }
  const stored = await records.read(entry.call.callId)
  if (stored?.task?.task.taskId !== taskId) return
  await records.update({ ...stored, task: noted(stored.task, inputKey) }, true)
}

function noted(record: TaskRecord, inputKey: string): TaskRecord {
  return { ...record, answered: withAnswered(record.answered, [inputKey]) }
}
