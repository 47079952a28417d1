import type { Locks } from '../../core/environment/environment.js'

/** The Web Locks of one simulated browser. */
export interface SimulatedLocks {
  /** The locks as one page sees them. Notifications of them wait for `arrival`. */
  forPage(arrival: () => Promise<void>): PageLocks
}

export interface PageLocks {
  readonly locks: Locks
  /** Locks the page holds and waits for. */
  size(): number
  /** Lets go of everything the page holds and waits for, as the browser does when the page is gone. */
  releaseAll(): void
}

interface Request {
  readonly page: symbol
  grant(): void
  deny(reason: unknown): void
}

export function createSimulatedLocks(): SimulatedLocks {
  const holders = new Map<string, Request>()
  const queues = new Map<string, Request[]>()

  function queueOf(name: string): Request[] {
    const queue = queues.get(name) ?? []
    queues.set(name, queue)
    return queue
  }

  function grantNext(name: string): void {
    if (holders.has(name)) return
    const next = queueOf(name).shift()
    if (next === undefined) return
    holders.set(name, next)
    next.grant()
  }

  function release(name: string, request: Request): void {
    if (holders.get(name) !== request) return
    holders.delete(name)
    grantNext(name)
  }

  return {
    forPage: (arrival) => {
      const page = Symbol('page')
      let isGone = false
      return {
        locks: {
          request: (name, { signal, steal }, hold) =>
            new Promise((resolve, reject) => {
              const withdraw = () => {
                const queue = queueOf(name)
                if (!queue.includes(request)) return
                queue.splice(queue.indexOf(request), 1)
                reject(signal?.reason)
              }
              const request: Request = {
                page,
                grant: () => {
                  signal?.removeEventListener('abort', withdraw)
                  void arrival()
                    .then(() => hold({ name }))
                    .then(resolve, reject)
                    .finally(() => release(name, request))
                },
                deny: (reason) => void arrival().then(() => reject(reason)),
              }
              if (isGone) return
              if (signal?.aborted) return reject(signal.reason)
              if (steal) {
                holders.get(name)?.deny(stolen())
                holders.set(name, request)
                return request.grant()
              }
              signal?.addEventListener('abort', withdraw)
              queueOf(name).push(request)
              grantNext(name)
            }),
        },
        size: () => [...holders.values(), ...[...queues.values()].flat()].filter((one) => one.page === page).length,
        releaseAll: () => {
          isGone = true
          for (const [name, queue] of queues) {
            queues.set(
              name,
              queue.filter((request) => request.page !== page),
            )
          }
          for (const [name, request] of [...holders]) if (request.page === page) release(name, request)
        },
      }
    },
  }
}

function stolen(): Error {
  const error = new Error('The lock was stolen.')
  error.name = 'AbortError'
  return error
}
