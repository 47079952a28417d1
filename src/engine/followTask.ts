import type { Environment } from '../environment/environment.js'
import { asError } from '../protocol/asError.js'
import {
  TaskConfigurationError,
  TaskExpiredError,
  TaskProtocolError,
  TaskRequestError,
  TasksUnsupportedError,
  TaskUnreachableError,
} from '../protocol/errors.js'
import {
  type CancelledTask,
  type CompletedTask,
  type DetailedTask,
  type FailedTask,
  isTerminal,
  type Task,
} from '../protocol/task.js'
import { createInbox, type Inbox } from './inbox.js'
import { backoffDelay, type PollPolicy, pollInterval } from './pollPolicy.js'
import type { PushLink } from './pushLink.js'
import { withRequestTimeout } from './requestTimeout.js'
import { type KnownSnapshots, takeSnapshot } from './snapshotOrder.js'
import { POLL_ANNOUNCED_MS, type TabLink, type TaskNews } from './tabLink.js'
import type { TaskPort } from './taskPort.js'
import type { ToolCallNetwork } from './toolCallState.js'
import { TURN_GRACE_MS, waitForTurn } from './waitForTurn.js'

/** A task that no later snapshot can change. */
export type TerminalTask = CompletedTask | FailedTask | CancelledTask

/** What happens on the way to the end. */
export type FollowEvent =
  /** The next poll, and from when on the server allows it. */
  | { readonly type: 'scheduled'; readonly at: number; readonly notBefore: number }
  | { readonly type: 'blocked'; readonly network: Extract<ToolCallNetwork, 'offline' | 'paused'> }
  | { readonly type: 'unblocked' }
  | { readonly type: 'snapshot'; readonly task: DetailedTask }
  /** An answer arrived that is older than what is known. */
  | { readonly type: 'poll-answered' }
  | {
      readonly type: 'poll-failed'
      readonly error: Error
      readonly failureCount: number
      readonly network: 'retrying' | 'paused'
    }

export interface FollowOptions {
  readonly taskId: string
  /** The newest snapshot known, for its interval and its ttl. */
  readonly task?: Task | undefined
  /** When to poll first, ms since the epoch. */
  readonly firstPollAt: number
  /** When the task was received, ms since the epoch by this clock: its ttl counts from here, since clocks differ. */
  readonly receivedAt: number
  readonly port: Pick<TaskPort, 'connect' | 'getTask' | 'holdSignIn'>
  readonly environment: Environment
  readonly policy: PollPolicy
  /** The other tabs of this browser, which follow the same task. */
  readonly link: TabLink
  /** What the server says by itself. */
  readonly push: PushLink
  /** When other pages have noted that the task may be polled, ms since the epoch. */
  readonly readNextPollAt?: (() => Promise<number | undefined>) | undefined
  readonly onEvent: (event: FollowEvent) => void
  /** Aborting it ends the following, not the task. */
  readonly signal: AbortSignal
}

/** Answers that break the protocol, in a row, after which there is no point in asking on. */
const MAX_VIOLATIONS = 3

/** What moves the following on: news of another tab, a snapshot that the server pushed, a change of circumstances. */
type Step =
  | TaskNews
  | { readonly type: 'pushed'; readonly task: DetailedTask }
  | { readonly type: 'push-changed' }
  | { readonly type: 'turn-changed' }

/** Where the following of a task stands. All times in ms since the epoch. */
interface Course extends KnownSnapshots {
  /** When the latest snapshot arrived. */
  readonly knownAt: number
  /** When to poll next. */
  readonly dueAt: number
  /** The part of that which the server asked for. */
  readonly notBefore: number
  /** From when on another tab whose turn it is counts as gone. */
  readonly overdueAt: number
  /** When another tab last said that it polls; 0 where none has. */
  readonly startedAt: number
  /** Polls that failed in a row. */
  readonly failures: number
  /** Answers that broke the protocol in a row. */
  readonly violations: number
}

/**
 * Follows a task until it is terminal: polls it, one request at a time and each an interval after the
 * last answer, or hears from the tab that does.
 *
 * ```text
 * answer ── interval of that answer ──▶ poll ── answer ── interval ──▶ poll …   never earlier
 * failure ─ max(interval, backoff, Retry-After) ─▶ poll …                       until an answer or the ttl
 * another tab's answer ── its next poll ──▶ poll, if by then it is this tab's turn
 * pushed snapshot ── safety interval ──▶ poll, or one interval as soon as the push is over
 * ```
 *
 * @throws {TaskExpiredError} where the server does not know the task, or a poll past its ttl did not end it.
 * @throws {TaskProtocolError} after three answers in a row that break the protocol.
 * @throws {TasksUnsupportedError} where the server does not serve `tasks/get`.
 * @throws {TaskUnreachableError} after `policy.maxAttempts` failures in a row.
 * @throws the signal's reason, where it aborts.
 */
export async function followTask(options: FollowOptions): Promise<TerminalTask> {
  const { link, push } = options
  const inbox = createInbox<Step>()
  const subscriptions = [
    link.onNews(inbox.put),
    link.onTurnChange(() => inbox.put({ type: 'turn-changed' })),
    push.onChange(() => inbox.put({ type: 'push-changed' })),
    push.onTask((task) => inbox.put({ type: 'pushed', task })),
  ]
  try {
    return await steer(options, inbox)
  } finally {
    for (const unsubscribe of subscriptions) unsubscribe()
  }
}

/**
 * What is heard never brings the next poll forward. It may have waited for a page to wake up:
 *
 * ```text
 * tab B  polls ── answer: not before 10:00:03 ─ closed
 * tab A  frozen ················ wakes ─ polls ── answer: not before 10:00:09 ─ hears B
 * ```
 */
async function steer(options: FollowOptions, inbox: Inbox<Step>): Promise<TerminalTask> {
  const { task, firstPollAt, environment, link, onEvent } = options
  const knownAt = environment.now()
  let course: Course = {
    known: task,
    passedOver: undefined,
    knownAt,
    ...schedule(withinTtl(options, task, firstPollAt)),
    startedAt: 0,
    failures: 0,
    violations: 0,
  }
  for (;;) {
    options.signal.throwIfAborted()
    onEvent({ type: 'scheduled', at: course.dueAt, notBefore: course.notBefore })
    const heard = inbox.take() ?? (await listen(options, course, inbox))
    const step = heard ?? (await pollForAll(options, course, () => !inbox.isEmpty() || !link.isMyTurn()))
    const floor = heard === undefined ? 0 : course.notBefore
    switch (step.type) {
      case 'polling':
        course = { ...course, overdueAt: step.until + TURN_GRACE_MS, startedAt: environment.now() }
        break
      case 'dropped':
        course = { ...course, ...schedule(Math.max(step.nextPollAt, floor)) }
        break
      case 'push-changed':
        if (course.failures > 0 || !link.isMyTurn()) break
        course = { ...course, ...schedule(Math.max(course.notBefore, nextPollAt(options, course)), course.notBefore) }
        break
      case 'turn-changed':
        if (link.isMyTurn()) course = await takeOver(options, course)
        break
      case 'pushed':
      case 'snapshot': {
        const isAskedSince = step.type === 'snapshot' && (step.askedAt ?? 0) >= course.knownAt
        const order = takeSnapshot(course, step.task, isAskedSince)
        const { known } = order
        if (known !== step.task && step.type === 'pushed') {
          // Nobody has asked for it, and it is old, or what is known is wrong: the next poll says.
          if (course.failures === 0) course = { ...course, ...schedule(course.notBefore) }
          break
        }
        const knownAt = environment.now()
        const wishedAt = step.type === 'snapshot' ? step.nextPollAt : nextPollAt(options, { known, knownAt })
        const dueAt = Math.max(wishedAt, floor)
        if (step.type === 'pushed') link.publish({ type: 'snapshot', task: step.task, nextPollAt: dueAt })
        if (isTerminalTask(step.task)) return step.task
        const notBefore = Math.max(
          floor,
          Math.min(dueAt, knownAt + pollInterval(step.task.pollIntervalMs, options.policy)),
        )
        // What is known is in doubt, also while the server tells by itself: the next answer settles it.
        const times = schedule(order.passedOver === undefined ? dueAt : notBefore, notBefore)
        course = { ...course, ...times, ...order, knownAt, failures: 0, violations: 0 }
        onEvent(known === step.task ? { type: 'snapshot', task: step.task } : { type: 'poll-answered' })
        break
      }
      case 'poll-failed': {
        const { error, failureCount, network } = step
        if (heard !== undefined && network === 'paused') options.port.holdSignIn?.()
        const violations = error instanceof TaskProtocolError ? course.violations + 1 : 0
        const [dueAt, notBefore] = [Math.max(step.nextPollAt, floor), Math.max(step.notBefore, floor)]
        course = { ...course, ...schedule(dueAt, notBefore), failures: failureCount, violations }
        onEvent({ type: 'poll-failed', error, failureCount, network })
        break
      }
      case 'ended':
        throw step.error
    }
  }
}

function schedule(dueAt: number, notBefore: number = dueAt): Pick<Course, 'dueAt' | 'notBefore' | 'overdueAt'> {
  return { dueAt, notBefore, overdueAt: dueAt + TURN_GRACE_MS }
}

/**
 * This tab polls from now on. The tab that did may have heard from the server and so have left it at that;
 * this one has to poll as soon as it may. It may have been away when the last answer came, or there was none:
 *
 * ```text
 * tab A  polls ── answer ── notes the next poll ─ closed
 * tab B  opens ▪ in the cache ▪ frozen            its turn: reads the note, for nobody told it
 *
 * tab A  polls ─ crashed
 * tab B  hears of it      its turn: one interval later
 * ```
 */
async function takeOver(options: FollowOptions, course: Course): Promise<Course> {
  const noted = (await options.readNextPollAt?.()) ?? 0
  const notBefore = Math.max(course.notBefore, noted, nextPollAt(options, { ...course, knownAt: course.startedAt }))
  return { ...course, ...schedule(Math.max(course.failures > 0 ? course.dueAt : 0, notBefore), notBefore) }
}

/** One interval after the last snapshot; while the server tells by itself, the safety interval where that is longer. */
function nextPollAt(options: FollowOptions, { known, knownAt }: Pick<Course, 'known' | 'knownAt'>): number {
  const { policy, push } = options
  const interval = pollInterval(known?.pollIntervalMs, policy)
  const delay = push.isLive() ? Math.max(interval, policy.safetyIntervalMs) : interval
  return withinTtl(options, known, knownAt + delay)
}

/**
 * The time to poll at, no more than the longest backoff past the ttl: a server that asks to be left alone
 * for longer than it keeps the task must not keep the call waiting for ever.
 */
function withinTtl({ receivedAt, policy }: FollowOptions, known: Task | undefined, dueAt: number): number {
  const ttlMs = known?.ttlMs ?? null
  return ttlMs === null ? dueAt : Math.min(dueAt, receivedAt + ttlMs + policy.maxMs)
}

/** What arrives first: news, or the time to poll. */
async function listen(options: FollowOptions, course: Course, inbox: Inbox<Step>): Promise<Step | undefined> {
  await waitForTurn({
    environment: options.environment,
    dueAt: course.dueAt,
    notBefore: course.notBefore,
    overdueAt: course.overdueAt,
    pauseWhenHidden: options.policy.hidden === 'pause',
    link: options.link,
    inbox,
    signal: options.signal,
    onBlocked: (network) => options.onEvent(network ? { type: 'blocked', network } : { type: 'unblocked' }),
  })
  return inbox.take()
}

async function pollForAll(options: FollowOptions, course: Course, isOvertaken: () => boolean): Promise<TaskNews> {
  const news = await poll(options, course, isOvertaken)
  // How this page is set up is no news of the task.
  if (news.type !== 'ended' || !(news.error instanceof TaskConfigurationError)) options.link.publish(news)
  return news
}

/** Polls once and says what the answer, or its absence, means. */
async function poll(options: FollowOptions, course: Course, isOvertaken: () => boolean): Promise<TaskNews> {
  const { taskId, receivedAt, environment, policy, signal } = options
  const startedAt = environment.now()
  // Whatever cuts this poll off, the next one is not earlier for it.
  const onSend = () => {
    const at = environment.now() + pollInterval(course.known?.pollIntervalMs, policy)
    options.onEvent({ type: 'scheduled', at, notBefore: at })
  }
  const hush = announcePoll(options)
  const answer = await getTask(options, isOvertaken, onSend).finally(hush)
  signal.throwIfAborted()

  const now = environment.now()
  const lastChance = isPastTtl(receivedAt, course.known, startedAt)
  if (answer === 'page hidden') {
    return { type: 'dropped', nextPollAt: now + pollInterval(course.known?.pollIntervalMs, policy) }
  }
  if (answer === 'overtaken') return { type: 'dropped', nextPollAt: course.dueAt }
  if ('task' in answer) {
    const { task } = answer
    // The answer may have prolonged the ttl.
    if (lastChance && !isTerminal(task.status) && isPastTtl(receivedAt, task, now)) {
      return { type: 'ended', error: new TaskExpiredError('ttl', { taskId }) }
    }
    const at = nextPollAt(options, { known: task, knownAt: now })
    return { type: 'snapshot', task, nextPollAt: at, askedAt: startedAt }
  }

  const { error } = answer
  const failureCount = course.failures + 1
  const isViolation = error instanceof TaskProtocolError
  if (isFinal(error) || (isViolation && course.violations + 1 >= MAX_VIOLATIONS)) return { type: 'ended', error }
  if (failureCount >= policy.maxAttempts) return { type: 'ended', error: unreachable(taskId, failureCount, error) }
  if (lastChance) return { type: 'ended', error: new TaskExpiredError('ttl', { taskId, cause: error }) }

  const isRequest = error instanceof TaskRequestError
  const network = isRequest && error.kind === 'auth' ? 'paused' : 'retrying'
  const asked = Math.max(pollInterval(course.known?.pollIntervalMs, policy), (isRequest && error.retryAfterMs) || 0)
  const delay = Math.max(asked, backoffDelay(failureCount, policy, environment.random()))
  const next = withinTtl(options, course.known, now + delay)
  return { type: 'poll-failed', error, failureCount, network, notBefore: Math.min(now + asked, next), nextPollAt: next }
}

/** Says to the other tabs that a poll is under way, again and again while it is. Returns the way to end it. */
function announcePoll({ environment, link }: FollowOptions): () => void {
  let timer: unknown
  const announce = () => {
    link.publish({ type: 'polling', until: environment.now() + POLL_ANNOUNCED_MS })
    timer = environment.setTimeout(announce, POLL_ANNOUNCED_MS / 2)
  }
  announce()
  return () => environment.clearTimeout(timer)
}

type Answer = { readonly task: DetailedTask } | { readonly error: Error } | 'page hidden' | 'overtaken'

/**
 * One `tasks/get`, given up where no answer comes in time, and where the page goes away: an open request
 * can keep it out of the back-forward cache. Not sent at all where something else came first:
 *
 * ```text
 * tab A  due ─ connects ·········· hears B's answer ─ does not ask again
 * tab B  polls ───────── answer
 * ```
 */
async function getTask(options: FollowOptions, isOvertaken: () => boolean, onSend: () => void): Promise<Answer> {
  const { port, taskId, environment, policy } = options
  const page = new AbortController()
  const unsubscribe = environment.onPageHide(() => page.abort())
  const signal = AbortSignal.any([options.signal, page.signal])
  try {
    const task = await withRequestTimeout({ taskId, environment, policy, signal }, async (inTime) => {
      await port.connect?.()
      if (isOvertaken()) return undefined
      onSend()
      return port.getTask(taskId, inTime)
    })
    if (task === undefined) return 'overtaken'
    if (task.taskId === taskId) return { task }
    return { error: new TaskProtocolError('the answer is about another task', { source: 'tasks/get', taskId }) }
  } catch (error) {
    if (page.signal.aborted) return 'page hidden'
    return { error: asError(error) }
  } finally {
    unsubscribe()
  }
}

/** SEP-2663, "Task Polling": past its ttl a task may be given up. The poll that finds it so decides. */
function isPastTtl(receivedAt: number, task: Task | undefined, now: number): boolean {
  const ttlMs = task?.ttlMs ?? null
  return ttlMs !== null && now >= receivedAt + ttlMs
}

function isTerminalTask(task: DetailedTask): task is TerminalTask {
  return isTerminal(task.status)
}

function isFinal(error: Error): boolean {
  return (
    error instanceof TaskExpiredError ||
    error instanceof TasksUnsupportedError ||
    error instanceof TaskConfigurationError
  )
}

function unreachable(taskId: string, failures: number, cause: Error): TaskUnreachableError {
  return new TaskUnreachableError(
    `The server could not be reached in ${failures} polls in a row. The task may still be running: resume it later.`,
    { taskId, cause },
  )
}
