import type { Environment, Unsubscribe } from '../environment/environment.js'
import { TasksUnsupportedError } from '../protocol/errors.js'
import type { DetailedTask } from '../protocol/task.js'
import { backoffDelay, type PollPolicy } from './pollPolicy.js'
import { createPushedTasks } from './pushedTasks.js'
import type { TaskPort } from './taskPort.js'
import { untilOnline } from './untilOnline.js'

/** One stream for all tasks that this tab polls (SEP-2663, "Task Status Notifications"). */
export interface PushSubscription {
  /** The tasks that this tab polls have changed. */
  update(): void
  /** True if the server pushes what happens to the task: it has said so, and has done it. */
  isPushed(taskId: string): boolean
  close(): void
}

/** A stream that never brings anything. */
export const NO_PUSH: PushSubscription = { update: () => {}, isPushed: () => false, close: () => {} }

export interface PushSubscriptionOptions {
  readonly port: Pick<TaskPort, 'listen'>
  readonly environment: Environment
  readonly policy: PollPolicy
  /** The tasks that this tab polls. */
  readonly taskIds: () => readonly string[]
  readonly onTask: (task: DetailedTask) => void
  /** Called when the server hints that a poll would show something new. */
  readonly onHint: (taskId: string) => void
  /** Called when a task begins or ceases to be pushed. */
  readonly onChange: (taskId: string) => void
}

/** Tasks that come and go together make one change of the stream. */
const COALESCE_MS = 50

/** A stream that is open or being opened. */
interface Stream {
  readonly ids: ReadonlySet<string>
  readonly controller: AbortController
}

/**
 * Keeps one `subscriptions/listen` open for the tasks that this tab polls. The filter of a stream is
 * fixed, so a change of the tasks opens a new one, and the old one ends only when that is acknowledged:
 *
 * ```text
 * stream {a}     ack ──────────────────────── ended
 * stream {a, b}             opened ──── ack ─────────────   nothing of a is lost in between
 * ```
 *
 * A task is polled less once something of it was pushed: an acknowledgement alone is a promise. A stream that ends is
 * opened again, backing off; meanwhile its tasks are polled at their intervals.
 * A server that acknowledges no task is not asked again.
 */
export function createPushSubscription(options: PushSubscriptionOptions): PushSubscription {
  const { port, environment, policy } = options
  const tasks = createPushedTasks(options)
  let current: Stream | undefined
  let opening: Stream | undefined
  let isRefused = false
  let failures = 0
  let timer: unknown
  let timerAt = Number.POSITIVE_INFINITY
  let subscriptions: Unsubscribe[] = []

  function update(delayMs = COALESCE_MS): void {
    if (isRefused) return
    const at = environment.now() + delayMs
    if (at >= timerAt) return
    environment.clearTimeout(timer)
    timerAt = at
    timer = environment.setTimeout(refresh, delayMs)
  }

  function refresh(): void {
    timerAt = Number.POSITIVE_INFINITY
    if (isRefused) return
    const ids = new Set(options.taskIds())
    if (ids.size === 0) return leavePage()
    watchPage()
    const stream = opening ?? current
    if (stream !== undefined && isSameSet(stream.ids, ids)) return
    opening?.controller.abort()
    void open(ids)
  }

  async function open(ids: ReadonlySet<string>): Promise<void> {
    const stream: Stream = { ids, controller: new AbortController() }
    const { signal } = stream.controller
    opening = stream
    try {
      await untilOnline({ environment, signal })
      await port.listen([...ids], {
        signal,
        onAcknowledged: (ids) => onAcknowledged(stream, ids),
        onTask: tasks.receive,
        onHint: options.onHint,
      })
    } catch (error) {
      if (error instanceof TasksUnsupportedError) isRefused = true
    }
    if (!signal.aborted) lose(stream)
  }

  function onAcknowledged(stream: Stream, ids: readonly string[]): void {
    if (opening !== stream) return
    opening = undefined
    current?.controller.abort()
    current = stream
    failures = 0
    if (ids.length === 0) {
      isRefused = true
      leavePage()
    }
    tasks.acknowledge(ids)
  }

  /** The stream has ended by itself. */
  function lose(stream: Stream): void {
    if (opening === stream) opening = undefined
    if (current === stream) {
      current = undefined
      tasks.acknowledge([])
    }
    if (isRefused) return leavePage()
    failures += 1
    update(Math.max(COALESCE_MS, backoffDelay(failures, policy, environment.random())))
  }

  function end(): void {
    opening?.controller.abort()
    current?.controller.abort()
    opening = current = undefined
    tasks.acknowledge([])
  }

  function watchPage(): void {
    if (subscriptions.length > 0) return
    // An open stream can keep a page out of the back-forward cache.
    subscriptions = [environment.onPageHide(end), environment.onPageShow(() => update(0))]
  }

  function leavePage(): void {
    for (const unsubscribe of subscriptions) unsubscribe()
    subscriptions = []
    environment.clearTimeout(timer)
    timerAt = Number.POSITIVE_INFINITY
    end()
  }

  return { update: () => update(), isPushed: tasks.isPushed, close: leavePage }
}

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (a.size !== b.size) return false
  for (const id of a) if (!b.has(id)) return false
  return true
}
