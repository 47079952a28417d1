import type { Pages } from './pollFloors.js'

interface Answered<Page> {
  readonly heardBy: Set<Page>
  /** A record says so, for pages that come later. */
  isStored: boolean
}

/** Watches that no input request is answered by two pages at a time, or again once a response was acknowledged. */
export interface ResponseBook<Page> {
  /** A `tasks/update` is sent. Says which of its input requests it must not answer. */
  sent(page: Page, taskId: string, keys: readonly string[]): string[]
  /** The request has come to its end. */
  ended(page: Page, taskId: string, keys: readonly string[], isAcknowledged: boolean): void
  /** Somebody else has taken the lock under which pages respond: they cannot know of what is under way. */
  lockTaken(): void
  /** A record was written. */
  stored(taskId: string, keys: readonly string[]): void
}

/** As with the floors of polls, what counts is what the pages can know. */
export function createResponseBook<Page>(pages: Pick<Pages<Page>, 'isAwake' | 'isDeaf'>): ResponseBook<Page> {
  const underway = new Map<string, Set<Page>>()
  const answered = new Map<string, Answered<Page>>()
  const question = (taskId: string, key: string) => `${key} of ${taskId}`
  const isKnown = (page: Page, { heardBy, isStored }: Answered<Page>) =>
    heardBy.has(page) || (!pages.isDeaf?.() && (isStored || [...heardBy].some(pages.isAwake)))

  return {
    sent: (page, taskId, keys) =>
      keys.filter((key) => {
        const id = question(taskId, key)
        const senders = underway.get(id) ?? new Set()
        const isElsewhere = !pages.isDeaf?.() && [...senders].some((other) => other !== page && pages.isAwake(other))
        underway.set(id, senders.add(page))
        const before = answered.get(id)
        return isElsewhere || (before !== undefined && isKnown(page, before))
      }),

    ended: (page, taskId, keys, isAcknowledged) => {
      for (const key of keys) {
        const id = question(taskId, key)
        underway.get(id)?.delete(page)
        if (!isAcknowledged) continue
        const entry = answered.get(id) ?? { heardBy: new Set(), isStored: false }
        entry.heardBy.add(page)
        answered.set(id, entry)
      }
    },

    lockTaken: () => underway.clear(),

    stored: (taskId, keys) => {
      for (const key of keys) {
        const entry = answered.get(question(taskId, key))
        if (entry !== undefined) entry.isStored = true
      }
    },
  }
}
