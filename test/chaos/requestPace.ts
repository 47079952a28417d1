/** Watches that no page asks the server the same again and again, or before the server wants to be asked again. */
export interface RequestPace<Page> {
  /** A request is sent. Says how many of its kind the page has sent within the last ten seconds where that is too many, else 0. */
  sent(page: Page, about: string, now: number): number
  /** How many ms too early a request is that is sent now; 0 where it is not. */
  early(page: Page, about: string, now: number): number
  /** The server has refused a request, and does not want to be sent it again before. */
  refused(page: Page, about: string, notBefore: number): void
  /** The app or the user has done something, or the page is back: each request may be sent once more at once. */
  stirred(page: Page): void
}

const WINDOW_MS = 10_000

/** More than a page has a reason to send: a poll each 0.7 s is the fastest that servers ask for here. */
const MAX_IN_WINDOW = 20

export function createRequestPace<Page extends object>(): RequestPace<Page> {
  const ofPages = new WeakMap<Page, { readonly sent: Map<string, number[]>; readonly floors: Map<string, number> }>()
  const of = (page: Page) => {
    const known = ofPages.get(page) ?? { sent: new Map<string, number[]>(), floors: new Map<string, number>() }
    ofPages.set(page, known)
    return known
  }
  return {
    sent: (page, about, now) => {
      const { sent } = of(page)
      const latest = (sent.get(about) ?? []).filter((at) => at > now - WINDOW_MS)
      latest.push(now)
      sent.set(about, latest)
      return latest.length > MAX_IN_WINDOW ? latest.length : 0
    },
    // Clocks have whole milliseconds.
    early: (page, about, now) => Math.max(0, Math.floor((of(page).floors.get(about) ?? 0) - now)),
    refused: (page, about, notBefore) => void of(page).floors.set(about, notBefore),
    stirred: (page) => of(page).floors.clear(),
  }
}
