import type { Call } from '../record/call.js'
import { areTwoTasks, isLostBefore, merge, mergeCalls } from '../record/merge.js'
import { type CallRecord, isOver, type Outcome, type TaskRecord, withEra } from '../record/record.js'
import { followInstead } from './catchUp.js'
import { changeCall, changeTask } from './changes.js'
import { type CallEntry, TOLD } from './entries.js'
import { dropForgotten, removeForgotten } from './forget.js'
import { forgottenBy, isForgotten, noteForgotten } from './forgottenTimes.js'
import { followFound, isMadeAgain, isSentAgain, newCall, putCall, putFound } from './pageCalls.js'
import { refuseOther } from './refuseOther.js'
import { cancelTold } from './requests.js'
import { now, type Receive, type Run } from './run.js'
import { settle } from './settle.js'
import { recordOfEnded, recordOfEntry, tell } from './showing.js'

/** Takes what another tab says. */
export const receive: Receive = (run, message) => {
  switch (message.type) {
    case 'record':
      return receiveRecord(run, message.record, message.outcome)
    case 'ask': {
      const { taskId = '', callId = '' } = message
      const task = run.tasks.get(taskId)
      // Also where another tab leads, for that may be frozen, and all have received the same.
      if (task !== undefined) tell(run, task)
      const entry = run.calls.get(callId)
      const record = entry && (entry.task ? recordOfEntry(run, entry) : recordOfEnded(entry))
      if (record?.task !== undefined) run.tabs.post({ type: 'record', record })
      return
    }
    case 'forgotten': {
      const { callId, at, postedAt } = message
      // What is called after the message has arrived was not forgotten.
      noteForgotten(run, callId, Math.min(forgottenBy(at, postedAt), now(run)))
      for (const id of callId === undefined ? [...run.calls.keys()] : [callId]) dropForgotten(run, id, at, postedAt)
      if (!run.tabsShareStorage) void removeForgotten(run)
      run.onForgotten(callId)
    }
  }
}

/** Another tab tells what it knows of a call. */
function receiveRecord(run: Run, record: CallRecord, outcome: Outcome | undefined): void {
  const { callId, startedAt, task, endpoint, scope } = record
  const { owner, calls } = run
  if (endpoint !== owner.endpoint || scope !== owner.scope) return
  // Several calls may have one task, and a call that was forgotten may have been found again.
  if (task !== undefined) learnFrom(run, task)
  if (isForgotten(run, callId, startedAt)) return
  const known = calls.get(callId)
  if (record.isCancelled) return known && cancelTold(run, known)
  for (const takeRecord of run.wantedRecords) takeRecord(record)
  if (task === undefined) {
    if (outcome === undefined || known === undefined) return
    const waiting = isSentAgain(known, record) ? putCall(run, newCall(run, callId, record.tool, record)) : known
    if (!awaits(waiting) || refuseOther(run, waiting, record, 'assumed')) return
    waiting.abort?.abort(TOLD)
    void settle(run, waiting, outcome, true)
  } else if (known === undefined || isMadeAgain(known, record)) {
    if (run.followsUnobserved && !run.closing.signal.aborted && !isOver(task))
      putFound(run, record, 'follow', 'assumed')
  } else if (known.task === undefined) {
    if (!awaits(known, isOver(task))) changeCall(run, known, (call) => withTold(call, record), 'tab')
    else if (!refuseOther(run, known, record, 'assumed')) followFound(run, known, record, 'assumed')
  } else if (known.task.taskId !== task.task.taskId) void followInstead(run, known, record)
}

function learnFrom(run: Run, told: TaskRecord): void {
  const task = run.tasks.get(told.task.taskId)
  if (task === undefined) return
  const { record: before } = task
  // Either may not know what the server speaks: a page that is not connected counts as `modern`.
  const era = told.era === 'legacy' || before.era === 'legacy' ? 'legacy' : run.port.era()
  if (areTwoTasks(withEra(before, era), withEra(told, era))) return
  if (isLostBefore(told, before) || isLostBefore(before, told)) return
  changeTask(run, task, (record) => merge(record, told), {
    from: 'tab',
    write: isTold(before, told) ? 'missing' : false,
  })
  if (told.heardAt > before.heardAt) run.port.heardElsewhere?.()
  const { failure } = task.record
  if (failure === undefined || failure === before.failure) return
  run.onError(failure.error, task.calls[0]?.call.callId ?? '', 'poll')
  // A sign-in has failed in another tab, which has the user's attention.
  if (failure.network === 'paused') run.port.holdSignIn?.()
}

/** A call that is only listed, with what another tab knows of it: when somebody looks at it, that tab and its record may be gone. */
function withTold(call: Call, told: CallRecord): Call {
  const { stage } = call
  if (stage.name !== 'recorded' || stage.record.task?.task.taskId !== told.task?.task.taskId) return call
  return { ...call, stage: { ...stage, record: mergeCalls(told, stage.record) } }
}

/**
 * True if the call waits for another tab that makes it. One that is to be made in any case waits for its turn alone, and so does
 * one that is to be made again where its task is over.
 */
function awaits({ call: { stage } }: CallEntry, isTaskOver = false): boolean {
  return stage.name === 'waiting' && (stage.wish === 'call' || (stage.wish === 'call-if-settled' && !isTaskOver))
}

/** True if another tab tells of an answer or a cancellation that this page does not know. */
function isTold(mine: TaskRecord, theirs: TaskRecord): boolean {
  return (
    theirs.cancelling.at > mine.cancelling.at || theirs.answered.some((inputKey) => !mine.answered.includes(inputKey))
  )
}
