import { isAnotherTask } from '../record/learn.js'
import { merge } from '../record/merge.js'
import { type CallRecord, isOver, type RecordOwner, withEra } from '../record/record.js'
import type { TabMessage } from '../tabs/messages.js'
import type { CatchUp, HandOver } from './catchUp.js'
import { type CallEntry, TOLD } from './entries.js'
import type { Forgotten } from './forgotten.js'
import { refuseOther } from './keys.js'
import type { PageCalls } from './pageCalls.js'
import type { Runner } from './runner.js'
import type { Settling } from './settle.js'

export interface NewsOptions {
  readonly run: Runner
  readonly calls: PageCalls
  readonly forgotten: Forgotten
  readonly settle: Settling['settle']
  readonly handOver: Pick<HandOver, 'receive'>
  readonly catching: CatchUp
  /** Called when calls were forgotten: one, or all that were not made since. */
  readonly onForgotten: (callId: string | undefined) => void
  /** Aborted when the client is closed. */
  readonly signal: AbortSignal
}

/** Takes what another tab says. */
export type Receive = (message: Exclude<TabMessage, { type: 'leader' }>) => void

export function createNews(options: NewsOptions): Receive {
  const { run, calls, forgotten, settle, handOver, catching, onForgotten, signal } = options
  const { tabs, owner } = run
  const { followInstead, dropForgotten } = catching

  /** Another tab tells what it knows of a call. */
  function receiveRecord(record: CallRecord, outcome: Extract<TabMessage, { type: 'record' }>['outcome']): void {
    const { callId, startedAt, task } = record
    if (!isOwn(record, owner)) return
    // Several calls may have one task, and a call that was forgotten may have been found again.
    const followed = task && run.tasks.get(task.task.taskId)
    if (followed !== undefined) learnFrom(record)
    if (forgotten.has(callId, startedAt)) return
    handOver.receive(record)
    const known = run.calls.get(callId)
    if (task === undefined) {
      if (outcome === undefined || known === undefined || !awaits(known)) return
      if (refuseOther(known, record, { run, calls })) return
      known.starting?.abort(TOLD)
      void settle(known, outcome, true)
      return
    }
    if (known === undefined || isAnew(known, record)) {
      if (run.followsUnobserved && !signal.aborted && !isOver(task)) calls.follow(record)
    } else if (known.task === undefined) {
      if (awaits(known) && !refuseOther(known, record, { run, calls })) calls.adopt(known, record)
    } else if (known.task.taskId !== task.task.taskId) void followInstead(known, record)
  }

  function learnFrom({ task: told }: CallRecord): void {
    const task = told && run.tasks.get(told.task.taskId)
    if (told === undefined || task === undefined) return
    const { record: before } = task
    // Of another task under the same id, and the next poll says so.
    const isLegacy = told.era === 'legacy' || before.era === 'legacy'
    // A page that is not connected does not know what the server speaks.
    if (isAnotherTask(withEra(before, isLegacy ? 'legacy' : run.port.era), told.task)) return
    run.learn(task, (record) => merge(record, told), { from: 'tab', write: isTold(before, told) ? 'missing' : false })
    const { failure } = task.record
    if (failure === undefined || failure === before.failure) return
    const callId = task.calls[0]?.call.callId ?? ''
    run.onError(failure.error, callId, 'poll')
    // A sign-in has failed in another tab, which has the user's attention.
    if (failure.network === 'paused') run.port.holdSignIn?.()
  }

  function answer(record: CallRecord | undefined): void {
    if (record?.task !== undefined) tabs.post({ type: 'record', record })
  }

  return (message) => {
    switch (message.type) {
      case 'record':
        return receiveRecord(message.record, message.outcome)
      case 'ask': {
        const { taskId = '', callId = '' } = message
        const task = run.tasks.get(taskId)
        // Also where another tab leads, for that may be frozen, and all have received the same.
        if (task !== undefined) run.tell(task)
        const entry = run.calls.get(callId)
        return answer(entry?.task ? run.recordOf(entry) : entry?.lastRecord)
      }
      case 'forgotten': {
        const { callId, at } = message
        // What is called after the message has arrived was not forgotten.
        forgotten.note(callId, Math.min(at, run.now()))
        for (const id of callId === undefined ? [...run.calls.keys()] : [callId]) dropForgotten(id, at)
        onForgotten(callId)
      }
    }
  }
}

/** True for a record of this server and account. */
function isOwn(record: CallRecord, owner: RecordOwner): boolean {
  return record.endpoint === owner.endpoint && record.scope === owner.scope
}

/** True if the call waits for another tab that makes it. One that is to be made in any case waits for its turn alone. */
function awaits({ call }: CallEntry): boolean {
  return call.stage.name === 'waiting' && call.stage.wish !== 'call-again'
}

/** True where a call that is over here was made again in another tab, and did not only have its task resumed there. */
function isAnew({ call, shown }: CallEntry, { startedAt, task }: CallRecord): boolean {
  return call.stage.name === 'settled' && startedAt > call.startedAt && task?.task.taskId !== shown.task?.taskId
}

/** True if another tab tells of an answer or a cancellation that this page does not know. */
function isTold(mine: NonNullable<CallRecord['task']>, theirs: NonNullable<CallRecord['task']>): boolean {
  return (
    theirs.cancelling.at > mine.cancelling.at || theirs.answered.some((inputKey) => !mine.answered.includes(inputKey))
  )
}
