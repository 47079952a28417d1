import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TaskStorage } from 'taskwire'

export interface Received {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** How a receiver answers: with a status, and headers; `die` cuts the connection, `hang` never answers. */
export type Answer = number | 'die' | 'hang' | { status: number; headers: Record<string, string> }

export interface Receiver {
  readonly url: string
  readonly requests: readonly Received[]
  /** The answers to the next requests. After them, each gets a 200. */
  answer(...answers: Answer[]): void
  /** Answers no request until the returned function is called. */
  hold(): () => void
  /** Resolves when so many requests have come, counted from the beginning. */
  received(count: number): Promise<void>
  /** Frees the port, as a receiver does that has crashed. */
  crash(): Promise<void>
  /** Listens again, on the same port. */
  restart(): Promise<void>
}

/** A real HTTP server that takes messages, or does not. */
export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = []
  const answers: Answer[] = []
  const waiting = new Set<() => void>()
  let held = Promise.resolve()
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const answer = answers.shift() ?? 200
    requests.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
    for (const look of [...waiting]) look()
    await held
    if (answer === 'die') request.socket.destroy()
    else if (typeof answer === 'number') response.writeHead(answer).end('thanks')
    else if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end()
  })
  const listen = (port: number) => new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = http.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    requests,
    answer: (...next) => void answers.push(...next),
    hold: () => {
      let release = () => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
    received: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (requests.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    crash: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
    restart: () => listen(port),
  }
}

export interface WatchedStorage extends TaskStorage {
  readonly items: Map<string, string>
  /** Resolves when the items fulfil the condition: now, or after a change of them. */
  until(condition: (items: ReadonlyMap<string, string>) => boolean): Promise<void>
}

/** A storage in memory that a test can wait for. */
export function watchedStorage(): WatchedStorage {
  const items = new Map<string, string>()
  const waiting = new Set<() => void>()
  const changed = () => {
    for (const look of [...waiting]) look()
  }
  return {
    items,
    getItem: async (key) => items.get(key),
    setItem: async (key, value) => {
      items.set(key, value)
      changed()
    },
    removeItem: async (key) => {
      items.delete(key)
      changed()
    },
    keys: async () => [...items.keys()],
    until: (condition) =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition(items)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}

/** The stages of what waits to be delivered. */
export function waiting(items: ReadonlyMap<string, string>): readonly string[] {
  return [...items.keys()].flatMap((key) => /^taskwire:out:[\w-]+:(open|due):/.exec(key)?.[1] ?? []).sort()
}

/** The failed attempt of the only message that waits, once it was written down. */
export async function failedAttempt(storage: WatchedStorage, attempts: number): Promise<{ readonly nextAt: number }> {
  const due = (items: ReadonlyMap<string, string>) =>
    [...items].flatMap(([key, text]) => (/^taskwire:out:[\w-]+:due:/.test(key) ? [JSON.parse(text)] : []))
  await storage.until((items) => due(items).some((delivery) => delivery.attempts === attempts))
  return due(storage.items)[0]
}
