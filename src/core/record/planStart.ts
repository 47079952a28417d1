import { isOtherHash } from './argumentsHash.js'
import { type CallRecord, isLost, isOver } from './record.js'

/**
 * What the app wants of a call that may have been made already: to make it unless it is known, to make it again if it has
 * settled, to make it in any case, to go on with it whatever became of it, or to list it with those of earlier visits.
 */
export type Wish = 'call' | 'call-if-settled' | 'call-again' | 'resume' | 'list'

/**
 * What a found record means.
 *
 * - `call`: the call is to be made
 * - `repeat`: it was sent, its response never came, and the server knows by its key whether it has arrived
 * - `follow`: there is a task, whose outcome can be had
 * - `ended`: there is a task that has ended; its outcome is fetched when somebody looks
 * - `lost`: there was a task, which the server has lost
 * - `interrupted`: it was sent, and its response never came, or was not waited for, as it was cancelled
 * - `conflict`: the call of this key was made with other arguments
 * - `nothing`: there is nothing to go on with
 */
export type StartPlan = 'call' | 'repeat' | 'follow' | 'ended' | 'lost' | 'interrupted' | 'conflict' | 'nothing'

export interface StartQuestion {
  readonly wish: Wish
  /** True if calling the tool twice does no harm: an intent without a response has lost nothing. */
  readonly isRepeatable: boolean
  /** Of the call that is to be made; undefined where its arguments are not known. */
  readonly argumentsHash?: string | undefined
}

/**
 * What the record of another page, or of an earlier visit, means to the page that starts, resumes or lists the call. The page that is to
 * make the call reads the record under the lock of the call, which a page keeps until it has its response.
 *
 * ```text
 * tab A  lock ─ intent ─ tools/call ──── task ─ unlocks
 * tab B            reads the intent ─ lock ········ reads the task: follow
 * tab A  lock ─ intent ─ tools/call ─ ▪ reload
 * tab A                                 lock ─ reads the intent: interrupted, or repeated under its key
 *
 * found                            call                     call-if-settled   resume        list
 * none                             call                     call              nothing       nothing
 * an intent                        interrupted              call              interrupted   interrupted
 * the same of a repeatable tool    call                     call              nothing       nothing
 * an intent, idempotency key       repeat                   repeat            interrupted   interrupted
 * the same of a repeatable tool    repeat                   repeat            nothing       nothing
 * any of these four, cancelled     interrupted              as above          interrupted   interrupted
 * a task at work                   follow                   follow            follow        follow
 * a task that has ended            follow                   call              follow        ended
 * a task that was lost             lost                     call              lost          lost
 * any, with other arguments        conflict; `call` stays   the same          as above      as above
 * ```
 *
 * `call-again` makes the call, whatever was found. A record that cannot be read, is of a later version or has expired counts as
 * none. For a `held` one the page asks the other tabs first (the tables at `RecordStore`).
 */
export function planStart(found: CallRecord | undefined, question: StartQuestion): StartPlan {
  const { wish, isRepeatable } = question
  if (wish === 'call-again') return 'call'
  const isResumed = wish === 'resume' || wish === 'list'
  if (found === undefined) return isResumed ? 'nothing' : 'call'
  const { task, idempotencyKey, isCancelled } = found
  const hasNothingToFollow = task === undefined ? idempotencyKey === undefined : isOver(task)
  if (wish === 'call-if-settled' && hasNothingToFollow) return 'call'
  if (task === undefined && isRepeatable && !isCancelled) {
    if (isResumed) return 'nothing'
    if (idempotencyKey === undefined) return 'call'
  }
  if (!isResumed && isOtherHash(found.argumentsHash, question.argumentsHash)) return 'conflict'
  if (task !== undefined) {
    if (isLost(task)) return 'lost'
    return wish === 'list' && isOver(task) ? 'ended' : 'follow'
  }
  // Without its arguments a call cannot be sent again; one that was cancelled is not, unless the app asks for it again.
  const isWanted = isCancelled ? wish === 'call-if-settled' : !isResumed
  return idempotencyKey !== undefined && isWanted ? 'repeat' : 'interrupted'
}
