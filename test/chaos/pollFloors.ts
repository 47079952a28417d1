import type { Delivery } from './replies.js'

/** What a watch over the polls has to know of the pages that send them. */
export interface Pages<Page> {
  /** Whether the page is there, awake, and has its client open. */
  isAwake(page: Page): boolean
  /** Whether the page follows this task. */
  follows(page: Page, taskId: string): boolean
  all(): Iterable<Page>
  /** Since when the page is awake, ms since the epoch. In that instant it has not heard of the others yet. */
  awakeSince(page: Page): number
  /** Whether the page can have read what was written at this time, ms since the epoch. */
  canHaveRead(page: Page, writtenAt: number): boolean
  /** Whether pages may have the id of the task alone: then a page knows what it was told itself. @default never */
  isNamed?(taskId: string): boolean
  /** Whether messages between pages may be lost or late: then a page knows what it has heard itself. @default never */
  isDeaf?(): boolean
}

/** "Do not ask again before": what a response said to whoever heard it. */
interface Floor<Page> {
  at: number
  /** What of it was `Retry-After`, which the end of the task does not end; 0 where nothing was. */
  notBefore: number
  /** The interval that was said; undefined where a poll has failed. */
  readonly asked: number | undefined
  /** When it was said, and to whom. Somebody else's request of the same instant may have left already, and so may any beside a push. */
  since: number
  readonly isPushed: boolean
  readonly by: Page
  readonly heardBy: Set<Page>
  /** Since when a record holds it, for pages that come later. */
  storedAt?: number | undefined
}

/** Watches that no task is polled before its server wants it to be. */
export interface PollFloors<Page> {
  /** A poll is sent. Says how many ms too early it is, and 0 where it is not. */
  polled(page: Page, taskId: string, now: number): number
  /** A response has reached a page that had sent a `tasks/get`, or the `tools/call` that made the task. */
  answered(page: Page, taskId: string, delivery: Delivery, now: number): void
  /** A status notification has reached a page. `isNew`: it is at least as new as all that the server has said of the task. */
  pushed(page: Page, snapshot: Readonly<Record<string, unknown>>, isNew: boolean, now: number): void
  /** A record was written. */
  stored(taskId: string, nextPollAt: number | undefined, now: number): void
  /** What storage held is gone. Pages that are in the back-forward cache take the call for forgotten when they are back. */
  unstored(taskId: string, cached: readonly Page[]): void
  /** A page was closed or has crashed. What it heard in that instant it has told nobody. */
  ended(page: Page, now: number): void
  /** The app has forgotten the call, and every page with it. */
  forget(taskId: string): void
  /** No call of the page follows the task any longer, so the page remembers nothing of it. */
  left(page: Page, taskId: string): void
  /** The clock of the machine was set. */
  clockSet(ms: number): void
}

/**
 * What counts is what the pages can know: a response that reached one of them, as long as a page that heard
 * it is there and awake, or a record holds it. What only a crashed page knew is gone with it, and there the
 * server may be asked early, once.
 */
export function createPollFloors<Page>(pages: Pages<Page>): PollFloors<Page> {
  const floors = new Map<string, Floor<Page>[]>()
  /** The shortest interval that the server has told, by task: what the failure of a poll adds at the least. */
  const intervals = new Map<string, number>()

  const endedAt = new Map<Page, number>()

  function isKnown(
    { asked, heardBy, storedAt, by, since }: Floor<Page>,
    page: Page,
    taskId: string,
    now: number,
  ): boolean {
    const isUntold = by !== page && endedAt.get(by) === since
    if (pages.isNamed?.(taskId) && (by !== page || asked === undefined)) return false
    if (heardBy.has(page) && !isUntold) return true
    if (pages.isDeaf?.()) return false
    if (storedAt !== undefined && pages.canHaveRead(page, storedAt)) return true
    if (isUntold || pages.awakeSince(page) === now) return false
    return [...heardBy].some((one) => pages.isAwake(one) && pages.follows(one, taskId))
  }

  function note(taskId: string, interval: number | undefined): void {
    if (interval !== undefined) intervals.set(taskId, Math.min(interval, intervals.get(taskId) ?? interval))
  }

  function raise(
    page: Page,
    taskId: string,
    asked: number | undefined,
    now: number,
    { notBefore = 0, isPushed = false } = {},
  ): void {
    const heardBy = new Set([page])
    if (!pages.isDeaf?.())
      for (const one of pages.all()) if (pages.isAwake(one) && pages.follows(one, taskId)) heardBy.add(one)
    const current = (floors.get(taskId) ?? []).filter((floor) => floor.at > now)
    const at = Math.max(now + (asked ?? intervals.get(taskId) ?? 0), notBefore)
    floors.set(taskId, [...current, { at, asked, notBefore, since: now, isPushed, by: page, heardBy }])
  }

  return {
    polled: (page, taskId, now) => {
      const broken = (floors.get(taskId) ?? []).filter(
        (floor) =>
          now < floor.at &&
          (now > floor.since || (floor.by === page && !floor.isPushed)) &&
          isKnown(floor, page, taskId, now),
      )
      return Math.max(0, ...broken.map(({ at }) => at - now))
    },

    answered: (page, taskId, delivery, now) => {
      const asked = intervalOf(delivery)
      note(taskId, asked)
      // A page that wakes hears in that instant that another one has taken the lead, and gives its own poll up: that
      // poll has not failed, and its answer, which the server gave before the page slept, may not be read.
      const isPatience = delivery.type === 'failure' && delivery.notBefore !== undefined
      if (!isPatience && pages.awakeSince(page) === now) return
      const notBefore = delivery.type === 'failure' ? (delivery.notBefore ?? 0) : 0
      raise(page, taskId, asked, now, { notBefore })
    },

    pushed: (page, snapshot, isNew, now) => {
      const taskId = String(snapshot['taskId'])
      const asked = intervalOfTask(snapshot)
      note(taskId, asked)
      // Whoever is told of the end may fetch the result at once.
      if (asked === 0) for (const floor of floors.get(taskId) ?? []) floor.at = floor.notBefore
      else if (isNew && asked !== undefined && pages.follows(page, taskId))
        raise(page, taskId, asked, now, { isPushed: true })
    },

    stored: (taskId, nextPollAt, now) => {
      for (const floor of floors.get(taskId) ?? [])
        if (nextPollAt !== undefined && nextPollAt >= floor.at) floor.storedAt ??= now
    },

    ended: (page, now) => endedAt.set(page, now),
    forget: (taskId) => floors.delete(taskId),
    left: (page, taskId) => {
      const kept = floors.get(taskId)?.filter(({ by }) => by !== page)
      if (kept !== undefined) floors.set(taskId, kept)
    },
    unstored: (taskId, cached) => {
      for (const floor of floors.get(taskId) ?? []) {
        floor.storedAt = undefined
        for (const page of cached) floor.heardBy.delete(page)
      }
    },

    clockSet: (ms) => {
      // Set forward, the interval seems to be over: nobody can tell that from a sleep.
      if (ms > 0) return
      for (const [page, at] of endedAt) endedAt.set(page, at + ms)
      for (const list of floors.values()) {
        for (const floor of list) {
          floor.at += ms
          floor.notBefore += ms
          floor.since += ms
          if (floor.storedAt !== undefined) floor.storedAt += ms
        }
      }
    },
  }
}

/**
 * The interval that a response asks for: none where the task has ended, since its result may be fetched at any time, or
 * is gone.
 */
function intervalOf(delivery: Delivery): number | undefined {
  if (delivery.type !== 'answer') return undefined
  if ('error' in delivery.answer) return 0
  return intervalOfTask(delivery.answer.result)
}

function intervalOfTask({ pollIntervalMs, status }: Readonly<Record<string, unknown>>): number | undefined {
  if (typeof pollIntervalMs !== 'number') return undefined
  return status === 'working' || status === 'input_required' ? pollIntervalMs : 0
}
