import { nextPoll, OVERDUE_MS } from '../record/decide.js'
import { withAnswered } from '../record/merge.js'
import type { TaskRecord } from '../record/record.js'
import { aborted } from '../time/abort.js'
import { changeTask } from './changes.js'
import type { CallEntry, TaskEntry } from './entries.js'
import { isFollowed, now, type Run } from './run.js'
import { recordOfEntry } from './showing.js'

/*
 * What this page, the other tabs and storage know of responses to input requests.
 */

/**
 * True if any tab has responded. An input request that belongs to no task is asked in this tab alone. The tab that has responded
 * may be gone, and the record of this call not say so: it may be gone as well, or of a later call, or the other tab follows the task by
 * another call.
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
    const known = stored?.task.taskId === taskId ? stored : undefined
    if (known?.answered.includes(inputKey))
      changeTask(run, task, (record) => noted(record, inputKey), { from: 'storage' })
    else await untilHeard(run, task, known !== undefined, signal)
  }
  return task.record.answered.includes(inputKey)
}

/**
 * Resolves once this page knows again what came while it was away: when the server is heard. Where the call is recorded and no poll is
 * due, when the other tabs have had their time to tell.
 */
async function untilHeard(run: Run, task: TaskEntry, isRecorded: boolean, signal: AbortSignal): Promise<void> {
  const { doubtfulSince, listenUntil, record } = task
  if (record.heardAt > doubtfulSince || !isFollowed(run, task)) return
  const at = now(run)
  const toldAt = Math.max(at, Number.isFinite(doubtfulSince) ? listenUntil : at + OVERDUE_MS)
  const isTold = isRecorded && nextPoll(record, run.rules.policy).at > toldAt
  const heard = new Promise<void>((resolve) => {
    task.onHeard.push(resolve)
    if (isTold) run.environment.setTimeout(resolve, toldAt - at)
  })
  await Promise.race([heard, aborted(signal)])
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
