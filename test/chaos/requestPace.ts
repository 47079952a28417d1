/** Watches that no page asks the server the same again and again. */
export interface RequestPace<Page> {
  /** A request is sent. Says how many of its kind the page has sent within the last ten seconds where that is too many, else 0. */
  sent(page: Page, about: string, now: number): number
}

const WINDOW_MS = 10_000

/** More than a page has a reason to send: a poll each 0.7 s is the fastest that servers ask for here. */
const MAX_IN_WINDOW = 20

export function createRequestPace<Page extends object>(): RequestPace<Page> {
  const ofPages = new WeakMap<Page, Map<string, number[]>>()
  return {
    sent: (page, about, now) => {
      const times = ofPages.get(page) ?? new Map<string, number[]>()
      ofPages.set(page, times)
      const latest = (times.get(about) ?? []).filter((at) => at > now - WINDOW_MS)
      latest.push(now)
      times.set(about, latest)
      return latest.length > MAX_IN_WINDOW ? latest.length : 0
    },
  }
}
