import type { Unsubscribe } from '../environment/environment.js'
import { TaskRequestError, TasksUnsupportedError } from '../protocol/errors.js'
import type { ListenHooks } from '../protocol/taskPort.js'
import { isProlonged } from '../record/keep.js'
import { learn } from '../record/learn.js'
import { type TaskRecord, withEra } from '../record/record.js'
import { createFloor } from '../time/floor.js'
import { backoffDelay, pollInterval } from '../time/policy.js'
import { untilOnline } from '../time/untilOnline.js'
import { changeTask, type How } from './changes.js'
import { polledTaskIds, type Run } from './run.js'

/** One stream for all tasks that this tab polls (SEP-2663, "Task Status Notifications"). */
export interface Push {
  /** The tasks that this tab polls have changed. */
  update(): void
  /** True if the server pushes what happens to the task: it has said so, and has done it. */
  isPushed(taskId: string): boolean
  close(): void
}

/** A stream that never brings anything. */
export const NO_PUSH: Push = { update: () => {}, isPushed: () => false, close: () => {} }

/** What a stream brings. */
interface StreamHooks extends Pick<ListenHooks, 'onTask' | 'onHint'> {
  /** The server promises to push these tasks, and no others. */
  readonly acknowledge: (taskIds: readonly string[]) => void
}

/** Tasks that come and go together make one change of the stream. */
const COALESCE_MS = 50

/** A stream that is open or being opened. */
interface Stream {
  readonly ids: ReadonlySet<string>
  readonly controller: AbortController
  /** When it was acknowledged, ms since the epoch. */
  acknowledgedAt?: number
  /** True if it has brought something of a task. */
  hasBrought?: boolean
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
 * opened again, backing off until one lasts, if only for a second where it brings something; meanwhile its tasks are polled at
 * their intervals.
 * A server that acknowledges no task is asked once more when another task is there: it may have been restarted, and have lost the first.
 */
function keepStream(run: Run, { acknowledge, onTask, onHint }: StreamHooks): Pick<Push, 'update' | 'close'> {
  const { port, environment } = run
  const { policy } = run.rules
  let current: Stream | undefined
  let opening: Stream | undefined
  let isRefused = false
  /** The tasks of the last stream of which the server has acknowledged none. */
  let unknown: ReadonlySet<string> = new Set()
  let failures = 0
  let timer: unknown
  let timerAt = Number.POSITIVE_INFINITY
  const floor = createFloor(environment.now)
  let subscriptions: Unsubscribe[] = []

  function update(delayMs = COALESCE_MS): void {
    if (isRefused) return
    const now = environment.now()
    const left = floor.leftMs()
    const wait = Math.max(delayMs, left)
    if (timerAt > now && timerAt >= now + left && timerAt <= now + wait) return
    environment.clearTimeout(timer)
    timerAt = now + wait
    timer = environment.setTimeout(refresh, wait)
  }

  function refresh(): void {
    timerAt = Number.POSITIVE_INFINITY
    if (isRefused) return
    const ids = new Set(polledTaskIds(run))
    if (ids.size === 0) return leavePage()
    if (isSubset(ids, unknown)) return
    watchPage()
    if (isSameSet(ids, (opening ?? current)?.ids)) return
    opening?.controller.abort()
    void open(ids)
  }

  async function open(ids: ReadonlySet<string>): Promise<void> {
    const stream: Stream = { ids, controller: new AbortController() }
    const { signal } = stream.controller
    opening = stream
    let retryAfterMs = 0
    try {
      await untilOnline({ environment, signal })
      await port.listen([...ids], {
        signal,
        onAcknowledged: (taskIds) => onAcknowledged(stream, taskIds),
        onTask: (task) => {
          stream.hasBrought = true
          onTask(task)
        },
        onHint,
      })
    } catch (error) {
      if (error instanceof TasksUnsupportedError) isRefused = true
      if (error instanceof TaskRequestError) retryAfterMs = error.retryAfterMs ?? 0
    }
    if (!signal.aborted) lose(stream, retryAfterMs)
  }

  function onAcknowledged(stream: Stream, ids: readonly string[]): void {
    if (opening !== stream) return
    opening = undefined
    current?.controller.abort()
    current = stream
    stream.acknowledgedAt = environment.now()
    if (ids.length === 0) {
      isRefused = unknown.size > 0
      leavePage()
    }
    unknown = ids.length === 0 ? stream.ids : new Set()
    acknowledge(ids)
  }

  /** The server has ended the stream. */
  function lose(stream: Stream, retryAfterMs: number): void {
    if (opening === stream) opening = undefined
    if (current === stream) {
      current = undefined
      acknowledge([])
    }
    if (isRefused) return leavePage()
    const { acknowledgedAt, hasBrought } = stream
    // One that says how the task is and ends at once, again and again, must not be opened again and again.
    const enoughMs = hasBrought ? policy.defaultIntervalMs : policy.maxMs
    if (acknowledgedAt !== undefined && environment.now() - acknowledgedAt >= enoughMs) failures = 0
    failures += 1
    const delayMs = Math.max(COALESCE_MS, backoffDelay(failures, policy, environment.random()), retryAfterMs)
    // The end of one stream does not shorten what the server has said of another one.
    floor.set(Math.max(delayMs, floor.leftMs()))
    update(delayMs)
  }

  function end(): void {
    opening?.controller.abort()
    current?.controller.abort()
    opening = current = undefined
    acknowledge([])
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

  return { update: () => update(), close: leavePage }
}

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string> | undefined): boolean {
  return a.size === b?.size && isSubset(a, b)
}

function isSubset(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const id of a) if (!b.has(id)) return false
  return true
}

/** Has the server push what happens to the tasks that this tab polls, and changes what is known of them. */
export function takePushed(run: Run): Push {
  const { port, rules } = run
  const { policy } = rules
  /** The tasks that the server has promised to push, and those of them that it has pushed since. */
  let promised: ReadonlySet<string> = new Set()
  const pushed = new Set<string>()

  const learnOf = (taskId: string, next: Parameters<typeof changeTask>[2], how: How) => {
    const task = run.tasks.get(taskId)
    if (task !== undefined) changeTask(run, task, next, how)
  }

  /** The server begins, or ceases, to push a task. */
  function changed(taskId: string): void {
    const opened = pushed.has(taskId)
    const next = (record: TaskRecord, now: number) => {
      const interval = pollInterval(record.task.pollIntervalMs, policy)
      const quietUntil = opened ? record.heardAt + Math.max(interval, policy.safetyIntervalMs) : 0
      if (record.failure !== undefined || quietUntil === record.quietUntil) return record
      return { ...record, quietUntil, triedAt: now, notedAt: now }
    }
    learnOf(taskId, next, { from: opened ? 'push-opened' : 'push-closed', tell: true })
  }

  const stream = keepStream(run, {
    acknowledge: (taskIds) => {
      promised = new Set(taskIds)
      for (const taskId of pushed) {
        if (promised.has(taskId)) continue
        pushed.delete(taskId)
        changed(taskId)
      }
    },
    onTask: (snapshot) => {
      const { taskId } = snapshot
      if (promised.has(taskId) && !pushed.has(taskId)) {
        pushed.add(taskId)
        changed(taskId)
      }
      const isPushed = pushed.has(taskId)
      const next = (record: TaskRecord, now: number) =>
        learn(withEra(record, port.era()), snapshot, { now, askedAt: 0, isPushed }, rules)
      const write = (record: TaskRecord, _: number, before: TaskRecord) => isProlonged(record, before)
      learnOf(taskId, next, { from: 'push', tell: true, write })
    },
    onHint: (taskId) =>
      learnOf(taskId, (record, now) => ({ ...record, here: { ...record.here, hintedAt: now } }), { from: 'hint' }),
  })
  return { ...stream, isPushed: (taskId) => pushed.has(taskId) }
}
