import type { Unsubscribe } from '../environment/environment.js'
import { asError } from '../protocol/asError.js'
import { TaskProtocolError, TaskRequestError } from '../protocol/errors.js'
import type { DetailedTask } from '../protocol/task.js'
import { POLLING_MS, type PollReason } from '../record/decide.js'
import { failed } from '../record/failed.js'
import { learn } from '../record/learn.js'
import { type TaskRecord, withEra } from '../record/record.js'
import { aborted } from '../time/abort.js'
import { withRequestTimeout } from '../time/retry.js'
import type { TaskEntry } from './entries.js'
import type { Runner } from './runner.js'

/** The polls that are due: one a task, and no more at once than the page has connections to spare. */
export interface Polls {
  add(task: TaskEntry): void
  /** This tab polls the task no longer. */
  drop(task: TaskEntry): void
  /** Gives up the polls under way: an open request can keep a page out of the back-forward cache. */
  abort(): void
}

/** Why a poll was given up without being a failure. */
const GIVEN_UP = new Error('The poll was given up.')

export function createPolls(run: Runner, maxConcurrent: number): Polls {
  const { port, environment, rules, tabs } = run
  const { policy } = rules
  const waiting = new Set<TaskEntry>()
  const underWay = new Map<TaskEntry, AbortController>()

  function next(): void {
    for (const task of waiting) {
      if (underWay.size >= maxConcurrent) return
      waiting.delete(task)
      void poll(task)
    }
  }

  /** Why it is still this tab that is to poll, and now: another one may have polled while this one was in line. */
  function reasonOf(task: TaskEntry): PollReason | undefined {
    const decision = task.poll === 'queued' ? run.decisionOf(task) : undefined
    return decision?.do === 'poll' ? (task.because ?? decision.why) : undefined
  }

  async function poll(task: TaskEntry): Promise<void> {
    const { taskId } = task
    const controller = new AbortController()
    underWay.set(task, controller)
    let askedAt: number | undefined
    let stopTelling: Unsubscribe = () => {}
    let isOut = false
    let news: (record: TaskRecord, now: number) => TaskRecord
    try {
      const snapshot = await withRequestTimeout({ taskId, environment, policy }, controller, async (signal) => {
        // Nothing is told before it goes out: a tab that cannot connect must not keep others from polling.
        await Promise.race([port.connect?.(), aborted(signal)])
        const why = reasonOf(task)
        if (why === undefined) return undefined
        askedAt = run.now()
        stopTelling = announce(run, task, askedAt, why)
        return port.getTask(taskId, signal, task.record.era)
      })
      if (snapshot !== undefined && snapshot.taskId !== taskId) throw otherTask(taskId)
      news = (record, now) => (snapshot === undefined ? record : answered(record, snapshot, now, askedAt))
    } catch (error) {
      const isGivenUp = error === GIVEN_UP
      // A tab that cannot reach the server gives the lead away: others may, and they know by now what this one has tried.
      isOut = !isGivenUp && (askedAt === undefined || (error instanceof TaskRequestError && error.kind === 'network'))
      news = (record, now) => (isGivenUp ? givenUp(record, now) : failedPoll(record, asError(error), now, askedAt))
    }
    stopTelling()
    underWay.delete(task)
    run.learn(
      task,
      (record, now) => {
        task.poll = 'idle'
        return news(record, now)
      },
      { from: 'poll', tell: true, write: isLongWait },
    )
    if (isOut && tabs.hasPeers()) task.election?.giveAway()
    next()
  }

  function answered(record: TaskRecord, snapshot: DetailedTask, now: number, askedAt = now): TaskRecord {
    const isPushed = run.isPushed(record.task.taskId)
    return learn(withEra(record, port.era), snapshot, { now, askedAt: Math.min(askedAt, now), isPushed }, rules)
  }

  function failedPoll(record: TaskRecord, error: Error, now: number, askedAt = now): TaskRecord {
    const next = failed(record, error, { now, askedAt, jitter: environment.random() }, policy)
    const callId = taskOf(record)?.calls[0]?.call.callId
    if (next.failure !== undefined && callId !== undefined) run.onError(error, callId, 'poll')
    return next
  }

  function taskOf(record: TaskRecord): TaskEntry | undefined {
    return run.tasks.get(record.task.taskId)
  }

  function drop(task: TaskEntry): void {
    waiting.delete(task)
    underWay.get(task)?.abort(GIVEN_UP)
  }

  return {
    add: (task) => {
      if (underWay.has(task)) return
      waiting.add(task)
      next()
    },
    drop,
    abort: () => {
      for (const task of [...underWay.keys(), ...waiting]) drop(task)
    },
  }
}

/**
 * Says that a poll is under way, here and to the other tabs, and to those again and again while it is. Returns a
 * function that ends it.
 */
function announce(run: Runner, task: TaskEntry, at: number, why: PollReason): Unsubscribe {
  const { environment, tabs } = run
  task.poll = 'sent'
  task.because = undefined
  task.ownSentAt = at
  // If this poll is cut off, the next one is not earlier for it.
  const sent = (record: TaskRecord, now: number): TaskRecord => ({
    ...record,
    sentAt: Math.max(record.sentAt, Math.min(at, now)),
    pollingUntil: now + POLLING_MS,
    triedAt: now,
    notedAt: now,
  })
  run.learn(task, sent, { from: 'poll-sent', tell: true, why })
  if (!tabs.hasPeers()) return () => {}
  let timer: unknown
  const again = () => {
    run.learn(task, (record, now) => ({ ...record, pollingUntil: now + POLLING_MS, triedAt: now, notedAt: now }), {
      from: 'call',
      tell: true,
    })
    timer = environment.setTimeout(again, POLLING_MS / 2)
  }
  timer = environment.setTimeout(again, POLLING_MS / 2)
  return () => environment.clearTimeout(timer)
}

/** A wait that a crash must not make short: it is written down at once. */
function isLongWait({ earliestAt }: TaskRecord, now: number): boolean {
  return earliestAt - now >= LONG_WAIT_MS
}

const LONG_WAIT_MS = 60_000

/** No poll is under way. Not for a hint either: a page that goes away is not to have a request under way. */
function givenUp(record: TaskRecord, now: number): TaskRecord {
  return { ...record, pollingUntil: 0, triedAt: now, notedAt: now, here: { ...record.here, hintedAt: 0 } }
}

function otherTask(taskId: string): TaskProtocolError {
  return new TaskProtocolError('the response is about another task', { source: 'tasks/get', taskId })
}
