import type { HeldLock } from '../../src/core/environment/environment.js'
import type { SmallPage } from './smallBrowser.js'

interface Request {
  readonly page: SmallPage
  readonly lock: string
  grant(): void
}

/** Word for a page of a lock: it was granted, or stolen. */
interface Notice {
  readonly name: string
  readonly take: () => void
}

/** Web Locks of which each grant waits for its step. */
export interface SmallLocks {
  request<T>(
    page: SmallPage,
    lock: string,
    options: { signal?: AbortSignal; steal?: boolean },
    hold: (lock: HeldLock | null) => Promise<T>,
  ): Promise<T>
  /** The next notice for a page. */
  next(page: SmallPage): Notice | undefined
  /** The page is gone. */
  release(page: SmallPage): void
  /** Locks that it holds or waits for. */
  countOf(page: SmallPage): number
  state(): unknown
}

export function createSmallLocks(): SmallLocks {
  const holders = new Map<string, Request>()
  const waiting: Request[] = []
  const notices = new Map<SmallPage, Notice[]>()

  function tell(page: SmallPage, notice: Notice): void {
    if (!page.isAlive) return
    notices.set(page, [...(notices.get(page) ?? []), notice])
  }

  function grantNext(lock: string): void {
    if (holders.has(lock)) return
    const next = waiting.find((request) => request.lock === lock)
    if (next === undefined) return
    waiting.splice(waiting.indexOf(next), 1)
    holders.set(lock, next)
    next.grant()
  }

  function letGo(request: Request): void {
    if (holders.get(request.lock) !== request) return
    holders.delete(request.lock)
    grantNext(request.lock)
  }

  return {
    request: (page, lock, { signal, steal = false }, hold) =>
      new Promise((resolve, reject) => {
        if (!page.isAlive) return
        if (signal?.aborted) return reject(signal.reason)
        const withdraw = () => {
          const index = waiting.indexOf(request)
          if (index < 0) return
          waiting.splice(index, 1)
          reject(signal?.reason)
        }
        const taken = () => {
          hold({ name: lock })
            .then(resolve, reject)
            .finally(() => letGo(request))
        }
        const request: Request & { deny(): void } = {
          page,
          lock,
          grant: () => {
            signal?.removeEventListener('abort', withdraw)
            tell(page, { name: `granted ${lock}`, take: taken })
          },
          deny: () => tell(page, { name: `stolen ${lock}`, take: () => reject(stolen()) }),
        }
        if (steal) {
          const before = holders.get(lock) as typeof request | undefined
          holders.set(lock, request)
          before?.deny()
          return request.grant()
        }
        signal?.addEventListener('abort', withdraw)
        waiting.push(request)
        grantNext(lock)
      }),
    next: (page) => {
      const [first] = notices.get(page) ?? []
      return first && { name: first.name, take: () => void notices.get(page)?.shift()?.take() }
    },
    release: (page) => {
      notices.delete(page)
      for (const request of [...waiting]) if (request.page === page) waiting.splice(waiting.indexOf(request), 1)
      for (const request of [...holders.values()]) if (request.page === page) letGo(request)
    },
    countOf: (page) => [...holders.values(), ...waiting].filter((request) => request.page === page).length,
    state: () => [
      [...holders].map(([lock, { page }]) => [lock, page.name]),
      waiting.map(({ lock, page }) => [lock, page.name]),
      [...notices].map(([page, list]) => [page.name, list.map(({ name }) => name)]),
    ],
  }
}

function stolen(): Error {
  return Object.assign(new Error('The lock was stolen.'), { name: 'AbortError' })
}
