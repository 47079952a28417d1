import type { Environment, Unsubscribe } from '../environment/environment.js'
import { TasksUnsupportedError } from '../protocol/errors.js'
import type { DetailedTask } from '../protocol/task.js'
import { backoffDelay, type PollPolicy } from './pollPolicy.js'
import { NO_PUSH, type PushLink } from './pushLink.js'
import type { TabLink } from './tabLink.js'
import type { TaskPort } from './taskPort.js'
import { waitUntilOnline } from './waitForTurn.js'

/** One stream for all tasks that this tab polls. */
export interface PushFeed {
  /** What the server pushes of a task, as long as it is this tab's turn. */
  follow(taskId: string, link: TabLink): PushLink
  close(): void
}

/** A feed that never brings anything. */
export const NO_PUSH_FEED: PushFeed = { follow: () => NO_PUSH, close: () => {} }

export interface PushFeedOptions {
  readonly port: Pick<TaskPort, 'listen'>
  readonly environment: Environment
  readonly policy: PollPolicy
}

/** Tasks that come and go together make one change of the stream. */
const COALESCE_MS = 50

interface Follower {
  readonly taskId: string
  readonly link: TabLink
  readonly tasks: Set<(task: DetailedTask) => void>
  readonly changes: Set<() => void>
  isLive: boolean
}

/** A stream that is open or being opened. */
interface Stream {
  readonly ids: readonly string[]
  readonly abort: AbortController
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
 * A stream that ends is opened again, backing off; meanwhile its tasks are polled at their intervals.
 * A server that honours no task is not asked again.
 */
export function createPushFeed({ port, environment, policy }: PushFeedOptions): PushFeed {
  const followers = new Set<Follower>()
  let current: Stream | undefined
  let opening: Stream | undefined
  let isRefused = false
  let failures = 0
  let timer: unknown
  let subscriptions: Unsubscribe[] = []

  function update(delayMs = COALESCE_MS): void {
    environment.clearTimeout(timer)
    timer = environment.setTimeout(refresh, delayMs)
  }

  function refresh(): void {
    if (isRefused) return
    const ids = [...followers].filter(({ link }) => link.isMyTurn()).map(({ taskId }) => taskId)
    const stream = opening ?? current
    if (stream !== undefined && isSameSet(stream.ids, ids)) return
    opening?.abort.abort()
    opening = undefined
    if (ids.length === 0) return end()
    void open(ids)
  }

  async function open(ids: readonly string[]): Promise<void> {
    const stream: Stream = { ids, abort: new AbortController() }
    const { signal } = stream.abort
    opening = stream
    try {
      await waitUntilOnline({ environment, signal, onBlocked: () => {} })
      await port.listen(ids, {
        signal,
        onHonoured: (honoured) => onHonoured(stream, honoured),
        onTask: (task) => {
          for (const { taskId, tasks, link } of [...followers]) {
            // Of several calls that follow it, the one that polls tells the others.
            if (taskId === task.taskId && link.isMyTurn()) for (const listener of [...tasks]) listener(task)
          }
        },
      })
    } catch (error) {
      if (error instanceof TasksUnsupportedError) isRefused = true
    }
    if (!signal.aborted) lose(stream)
  }

  function onHonoured(stream: Stream, honoured: readonly string[]): void {
    if (opening !== stream) return
    opening = undefined
    current?.abort.abort()
    current = stream
    failures = 0
    if (honoured.length === 0) {
      isRefused = true
      end()
    }
    setLive(honoured)
  }

  /** The stream has ended by itself. */
  function lose(stream: Stream): void {
    if (opening === stream) opening = undefined
    if (current === stream) {
      current = undefined
      setLive([])
    }
    if (isRefused || followers.size === 0) return
    failures += 1
    update(Math.max(COALESCE_MS, backoffDelay(failures, policy, environment.random())))
  }

  function end(): void {
    opening?.abort.abort()
    current?.abort.abort()
    opening = current = undefined
    setLive([])
  }

  function setLive(ids: readonly string[]): void {
    for (const follower of followers) {
      const isLive = ids.includes(follower.taskId)
      if (follower.isLive === isLive) continue
      follower.isLive = isLive
      for (const listener of [...follower.changes]) listener()
    }
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
    end()
  }

  return {
    follow: (taskId, link) => {
      const follower: Follower = { taskId, link, tasks: new Set(), changes: new Set(), isLive: false }
      followers.add(follower)
      const stopWatching = link.onTurnChange(() => update(0))
      watchPage()
      update()
      return {
        isLive: () => follower.isLive,
        onChange: (listener) => subscribe(follower.changes, listener),
        onTask: (listener) => subscribe(follower.tasks, listener),
        close: () => {
          stopWatching()
          followers.delete(follower)
          if (followers.size === 0) leavePage()
          else update()
        },
      }
    },
    close: leavePage,
  }
}

function subscribe<T>(listeners: Set<T>, listener: T): Unsubscribe {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id) => b.includes(id))
}
