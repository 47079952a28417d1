import type { Unsubscribe } from '../environment/environment.js'
import { asError } from '../protocol/asError.js'
import { TaskExpiredError, TaskRequestError } from '../protocol/errors.js'
import type { KnownOfTask } from '../protocol/taskPort.js'
import { believedFrom, POLLING_MS, type PollReason } from '../record/decide.js'
import { failed } from '../record/failed.js'
import { isProlonged } from '../record/keep.js'
import { learn } from '../record/learn.js'
import { type TaskRecord, withEra, withReason } from '../record/record.js'
import { aborted } from '../time/abort.js'
import { type PollPolicy, pollInterval } from '../time/policy.js'
import { withRequestTimeout } from '../time/retry.js'
import { changeTask } from './changes.js'
import type { TaskEntry } from './entries.js'
import { decisionOf, listenIfLate } from './looking.js'
import { resumeCancel } from './requests.js'
import { now, type Run } from './run.js'

/** Why a poll was given up without being a failure. */
const GIVEN_UP = new Error('The poll was given up.')

/** Polls a task that is due: one poll a task, and no more at once than the page has connections to spare. */
export function addPoll(run: Run, task: TaskEntry): void {
  if (run.pollsUnderWay.has(task)) return
  run.pollsInLine.add(task)
  nextPolls(run)
}

/** Gives up the polls of these tasks. One in line was not sent, so nothing else says that it is over. */
export function dropPolls({ pollsInLine, pollsUnderWay }: Run, tasks: Iterable<TaskEntry>): void {
  for (const task of tasks) {
    if (pollsInLine.delete(task)) task.poll = 'idle'
    pollsUnderWay.get(task)?.abort(GIVEN_UP)
  }
}

function nextPolls(run: Run): void {
  for (const task of run.pollsInLine) {
    if (run.pollsUnderWay.size >= run.maxConcurrentPolls) return
    run.pollsInLine.delete(task)
    void poll(run, task)
  }
}

async function poll(run: Run, task: TaskEntry): Promise<void> {
  const { port, environment, rules, tabs } = run
  const { policy } = rules
  const { taskId } = task
  const controller = new AbortController()
  run.pollsUnderWay.set(task, controller)
  const limitAt = now(run) + policy.requestTimeoutMs
  let askedAt: number | undefined
  let stopTelling: Unsubscribe = () => {}
  let isOut = false
  let isHeard = false
  let news: (record: TaskRecord, at: number) => TaskRecord
  try {
    const snapshot = await withRequestTimeout({ taskId, environment, policy }, controller, async (signal) => {
      // Nothing is told before it goes out: a tab that cannot connect must not keep others from polling.
      const connecting = port.connect?.()
      await (connecting && Promise.race([connecting, aborted(signal)]))
      // Another tab may have polled while this one was in line.
      const decision = task.poll === 'queued' ? decisionOf(run, task) : undefined
      if (decision?.do !== 'poll') return undefined
      askedAt = now(run)
      stopTelling = announce(run, task, askedAt, decision.why)
      return port.getTask(taskId, signal, knownOf(task.record))
    })
    isHeard = snapshot !== undefined
    news = (record, at) => {
      if (snapshot === undefined) return record
      const isPushed = run.push?.isPushed(taskId) === true
      return learn(
        withEra(record, port.era()),
        snapshot,
        { now: at, askedAt: Math.min(askedAt ?? at, at), isPushed },
        rules,
      )
    }
  } catch (reason) {
    const error = asError(reason)
    // Without a connection, or a token of the app, nothing is sent, and there is no status.
    const { kind, status } = error instanceof TaskRequestError ? error : {}
    const isUnheard = askedAt === undefined || (!status && (kind === 'network' || kind === 'auth'))
    // A poll that was cut off while this page was frozen or asleep says nothing of the server, and others may have polled since.
    const isCutOff = isUnheard && listenIfLate(run, task, now(run) - limitAt)
    const isGivenUp = reason === GIVEN_UP || isCutOff
    // A tab that cannot reach the server gives the lead away: others may, and they know by now what this one has tried.
    isOut = !isGivenUp && isUnheard
    news = (record, at) => {
      const isOld = record.sentAt > (askedAt ?? at) || isShownSince(error, askedAt ?? at, record)
      if (isCutOff && !isOld) return afterSleep(givenUp(record, at, askedAt), at, policy)
      if (isGivenUp || isOld) return givenUp(record, at, askedAt)
      const sentAt = Math.min(askedAt ?? at, at)
      const next = failed(record, error, { now: at, askedAt: sentAt, jitter: environment.random() }, policy)
      const [entry] = task.calls
      if (next.failure !== undefined && entry !== undefined) run.onError(error, entry.call.callId, 'poll')
      return next
    }
  }
  stopTelling()
  run.pollsUnderWay.delete(task)
  const over = (record: TaskRecord, at: number) => {
    task.poll = 'idle'
    return news(record, at)
  }
  changeTask(run, task, over, { from: 'poll', tell: true, write: isToBeWritten })
  if (isOut && tabs.hasPeers()) task.election?.giveAway()
  // The tab that has the server stop the task may be gone.
  const [entry] = task.calls
  if (isHeard && entry !== undefined) resumeCancel(run, entry)
  nextPolls(run)
}

function knownOf({ era, snapshotAt, task, inputRequests, answered }: TaskRecord): KnownOfTask {
  const open = Object.entries(inputRequests).filter(([inputKey]) => !answered.includes(inputKey))
  return {
    // That of a task that the app has named is unknown until the server has answered for it once.
    era: snapshotAt === 0 && task.createdAt === '' ? undefined : era,
    inputRequests: Object.fromEntries(open),
  }
}

/**
 * True where the server did not know the task, and has made or shown it while the poll was on its way. Of a task that the app has
 * named, nothing else says that it was another one.
 */
function isShownSince(error: Error, askedAt: number, { receivedAt, snapshotAt }: TaskRecord): boolean {
  return error instanceof TaskExpiredError && Math.max(receivedAt, snapshotAt) > askedAt
}

/**
 * Says that a poll is under way, here and to the other tabs, and to those again and again while it is. Returns a
 * function that ends it.
 */
function announce(run: Run, task: TaskEntry, askedAt: number, why: PollReason): Unsubscribe {
  const { environment, tabs, rules } = run
  task.poll = 'sent'
  task.ownSentAt = askedAt
  const underWay = (record: TaskRecord, at: number) => ({
    ...record,
    pollingUntil: at + POLLING_MS,
    triedAt: at,
    notedAt: at,
  })
  // If this poll is cut off, the next one is not earlier for it.
  const sent = (record: TaskRecord, at: number) => ({
    ...underWay(withReason(record, undefined), at),
    sentAt: Math.max(record.sentAt, Math.min(askedAt, at)),
    believedFrom: believedFrom(record, askedAt, rules.policy),
  })
  changeTask(run, task, sent, { from: 'poll-sent', tell: true, why })
  if (!tabs.hasPeers()) return () => {}
  let timer: unknown
  const again = () => {
    timer = environment.setTimeout(() => {
      // Another tab has sent one since, of which the others know more.
      if (task.record.sentAt > askedAt) return
      changeTask(run, task, underWay, { from: 'call', tell: true })
      again()
    }, POLLING_MS / 2)
  }
  again()
  return () => environment.clearTimeout(timer)
}

/** The server may have taken the poll that was cut off when the page woke: the next one is an interval later. */
function afterSleep(record: TaskRecord, at: number, policy: PollPolicy): TaskRecord {
  const earliestAt = Math.max(record.earliestAt, at + pollInterval(record.task.pollIntervalMs, policy))
  return { ...record, earliestAt }
}

/** A wait that a crash must not make short is written down at once, and so is a longer ttl. */
function isToBeWritten(record: TaskRecord, at: number, before: TaskRecord): boolean {
  return record.earliestAt - at >= LONG_WAIT_MS || isProlonged(record, before)
}

const LONG_WAIT_MS = 60_000

/**
 * What is known once a poll was given up: none is under way, unless the tab that has taken the lead has sent one since. Nor is one
 * due for a hint: a page that goes away is to have no request under way.
 */
function givenUp(record: TaskRecord, at: number, askedAt = 0): TaskRecord {
  const isOther = record.sentAt > askedAt
  return {
    ...record,
    ...(!isOther && { pollingUntil: 0, triedAt: at, notedAt: at }),
    here: { ...record.here, hintedAt: 0 },
  }
}
