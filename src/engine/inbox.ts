/** Messages in the order of their arrival, for a reader that may be busy when they come. */
export interface Inbox<T> {
  put(message: T): void
  take(): T | undefined
  isEmpty(): boolean
  /** Calls `listener` when something arrives, until told otherwise. */
  onArrival(listener: () => void): () => void
}

export function createInbox<T>(): Inbox<T> {
  const messages: T[] = []
  let notify: (() => void) | undefined
  return {
    put: (message) => {
      messages.push(message)
      notify?.()
    },
    take: () => messages.shift(),
    isEmpty: () => messages.length === 0,
    onArrival: (listener) => {
      notify = listener
      return () => {
        if (notify === listener) notify = undefined
      }
    },
  }
}
