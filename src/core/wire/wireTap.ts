import type { Environment } from '../environment/environment.js'

type Fetch = Environment['fetch']

/** What goes over the wire: an HTTP exchange, or a message over a transport whose HTTP is hidden. */
export type WirePiece =
  | {
      readonly at: number
      readonly url: string | URL
      readonly init: RequestInit | undefined
      /** When the response came, and a copy of it, whose body only the observer reads. */
      readonly answer: Promise<{ readonly at: number; readonly copy: Response }>
    }
  | { readonly at: number; readonly message: object; readonly isSent: boolean }

/** Where somebody who observes the wire is put, and taken away again. */
export interface WireTap {
  onWire?: ((piece: WirePiece) => void) | undefined
}

/** The same `fetch`. While the wire is observed, the tap gets each request and a copy of its response. */
export function tappedFetch(fetch: Fetch, tap: WireTap, now: () => number): Fetch {
  return (url, init) => {
    const response = fetch(url, init)
    if (tap.onWire) {
      // Copied before the caller can read it.
      const answer = response.then((one) => ({ at: now(), copy: one.clone() }))
      // What fails is looked at later than the browser thinks it should be.
      answer.catch(() => {})
      tap.onWire({ at: now(), url, init, answer })
    }
    return response
  }
}
