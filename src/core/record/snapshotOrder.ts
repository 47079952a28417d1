import { isTerminal, pickTask, type Task } from '../protocol/task.js'

/** What is known of a task when a snapshot of it arrives. */
export interface KnownSnapshots {
  /** The one that counts. */
  readonly task: Task
  /** The one that was asked for since, was stamped before it and so was passed over. */
  readonly passedOver: Task | undefined
}

/**
 * Takes a snapshot, or passes over it. `isAskedSince`: the poll for it was sent after the known one had arrived.
 *
 * The stamps are the server's. They put in order what this page has received, and what was on its way at the same time: a push and a
 * poll, the replicas of a server. What tabs tell each other, `merge` puts in order. But a clock that was wrong once must not outvote the
 * responses that come after it, so what the server says twice in a row is believed:
 *
 * ```text
 * poll 1 ── response, stamped 2099                                  counts
 * poll 2 ─────────── response, stamped today                        passed over: a replica may lag
 * poll 3 ──────────────────── response, stamped today or later      counts
 *
 * poll 4 ─────────────────────────── late response                  passed over, however often
 *              push ── stamped later
 * ```
 *
 * Poll 4 was sent before the push arrived. What a later poll brings counts when it is said twice, as above.
 *
 * Nothing replaces a terminal one, and a terminal one replaces all else.
 */
export function takeSnapshot({ task, passedOver }: KnownSnapshots, next: Task, isAskedSince: boolean): KnownSnapshots {
  const taken = { task: next, passedOver: undefined }
  if (isTerminal(next.status)) return taken
  if (isTerminal(task.status)) return { task, passedOver }
  if (!isBefore(next, task)) return taken
  if (!isAskedSince) return { task, passedOver }
  return passedOver !== undefined && !isBefore(next, passedOver) ? taken : { task, passedOver: pickTask(next) }
}

/** Only what both are legibly stamped with can be put in order. */
function isBefore(a: Task, b: Task): boolean {
  return Date.parse(a.lastUpdatedAt) < Date.parse(b.lastUpdatedAt)
}
