import type { Environment } from 'taskwire'

/** What following tasks has cost. */
export interface Cost {
  /** HTTP requests, polls included. */
  requests: number
  /** Requests of `tasks/get`. */
  polls: number
  /** Bodies and headers that client and server set, up and down, before any compression. */
  bytes: number
  /** Items of storage that were written or removed. */
  writes: number
  /** Messages from a tab to the others. */
  messages: number
  timersSet: number
  /** Timers that ran: how often a page that does nothing else wakes. */
  wakeUps: number
  /** Components that rendered. */
  renders: number
}

export type Counted = keyof Cost

/** Counts what the pages of a scenario do. */
export interface Meter {
  readonly cost: Readonly<Cost>
  add(what: Counted, count?: number): void
  /** Begins again at zero. */
  reset(): void
  /** The environment of a page, counted. */
  environment(page: Environment): Environment
  /** A `fetch` that is counted. */
  fetch(fetch: Environment['fetch']): Environment['fetch']
  /** Timers that are counted. */
  timers(of: Pick<Environment, 'setTimeout' | 'clearTimeout'>): Pick<Environment, 'setTimeout' | 'clearTimeout'>
}

const nothing = (): Cost => ({
  requests: 0,
  polls: 0,
  bytes: 0,
  writes: 0,
  messages: 0,
  timersSet: 0,
  wakeUps: 0,
  renders: 0,
})

const bytesOf = (text: string) => Buffer.byteLength(text)
const bytesOfHeaders = (headers: Headers) =>
  [...headers].reduce((sum, [name, value]) => sum + bytesOf(`${name}: ${value}\r\n`), 0)

export function createMeter(): Meter {
  let cost = nothing()
  const add = (what: Counted, count = 1) => {
    cost[what] += count
  }

  const timers: Meter['timers'] = ({ setTimeout, clearTimeout }) => ({
    clearTimeout,
    setTimeout: (callback, delayMs) => {
      add('timersSet')
      return setTimeout(() => {
        add('wakeUps')
        callback()
      }, delayMs)
    },
  })

  const fetch: Meter['fetch'] = (send) => async (url, init) => {
    const body = String(init?.body ?? '')
    add('requests')
    if (body.includes('"tasks/get"')) add('polls')
    add('bytes', bytesOf(body) + bytesOfHeaders(new Headers(init?.headers)))
    const response = await send(url, init)
    add('bytes', bytesOfHeaders(response.headers))
    if (response.body === null) return response
    // A stream is counted as it arrives.
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        add('bytes', chunk.byteLength)
        controller.enqueue(chunk)
      },
    })
    const { status, headers } = response
    return new Response(response.body.pipeThrough(count), { status, headers })
  }

  return {
    get cost() {
      return cost
    },
    add,
    reset: () => {
      cost = nothing()
    },
    timers,
    fetch,
    environment: (page) => ({
      ...page,
      ...timers(page),
      fetch: fetch(page.fetch),
      storage: (kind) => countWrites(page.storage(kind), add),
      channel:
        page.channel &&
        ((name) => {
          const channel = page.channel?.(name)
          if (channel === undefined) throw new TypeError('There is no channel.')
          const postMessage = (message: unknown) => {
            add('messages')
            channel.postMessage(message)
          }
          return { ...channel, postMessage }
        }),
    }),
  }
}

type Storage = ReturnType<Environment['storage']>

function countWrites(storage: Storage, add: Meter['add']): Storage {
  return (
    storage && {
      get length() {
        return storage.length
      },
      key: (index) => storage.key(index),
      getItem: (key) => storage.getItem(key),
      setItem: (key, value) => {
        add('writes')
        storage.setItem(key, value)
      },
      removeItem: (key) => {
        add('writes')
        storage.removeItem(key)
      },
    }
  )
}
