import { isTaskOver, type ToolCallRecord } from '../storage/toolCallRecord.js'

/**
 * What the app wants of a call that may have been made already: to make it unless it is known, to make it again if it
 * has ended, to make it in any case, or only to go on with it.
 */
export type Wish = 'call' | 'call-if-settled' | 'call-again' | 'resume'

/**
 * What to do about it. `interrupted`: it was sent, and its response never came. `repeat`: the same, and the server knows by
 * its key whether it has arrived.
 */
export type StartPlan = 'call' | 'repeat' | 'follow' | 'interrupted' | 'nothing'

/**
 * What the record means that another page, or an earlier visit, has left of a call. Read under the lock of the call, so
 * that a page which is still waiting for its response counts as one.
 *
 * ```text
 * tab A  lock ─ intent ─ tools/call ──── task ─ unlocks
 * tab B            reads the intent ─ lock ········ reads the task: follow
 * tab A  lock ─ intent ─ tools/call ─ ▪ reload
 * tab A                                 lock ─ reads the intent: interrupted, or repeated under its key
 * ```
 *
 * @param isRepeatable True if calling the tool twice does no harm: an intent without a response has lost nothing.
 */
export function planStart(found: ToolCallRecord | undefined, wish: Wish, isRepeatable: boolean): StartPlan {
  if (wish === 'call-again') return 'call'
  const isResumed = wish === 'resume'
  if (found === undefined) return isResumed ? 'nothing' : 'call'
  const { task, idempotencyKey } = found
  // Whoever only resumes does not know the arguments.
  if (task === undefined && idempotencyKey !== undefined && !isResumed) return 'repeat'
  const isOver = task === undefined || isTaskOver(task)
  if (wish === 'call-if-settled' && isOver) return 'call'
  if (task !== undefined) return isResumed && isOver ? 'nothing' : 'follow'
  if (isRepeatable) return isResumed ? 'nothing' : 'call'
  return 'interrupted'
}
