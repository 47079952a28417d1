import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { listen } from '../support/listen.js'

/**
 * What happens to the next request of a kind. `swallow` gives it no answer, and the server hears nothing. `lose` lets the server work, and
 * cuts the connection in place of its response. `hold` keeps the response back until the returned function is called. A status is the
 * answer, and the server hears nothing.
 */
export type Fault =
  | 'swallow'
  | 'lose'
  | 'hold'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }

export interface Passed {
  readonly user: string
  readonly method: string
  /** ms, by `performance.now()`. */
  readonly at: number
  /** What the server has answered, or undefined where it was not asked. */
  answer?: string
}

/** The way from a backend to its MCP server, on which requests and responses get lost. */
export interface FaultyWay {
  readonly url: string
  /** The requests of a user, by the header `x-user`. */
  of(user: string, method: string): readonly Passed[]
  /** Lets this happen to the next requests of a user. Returns a function that lets the responses go that are held. */
  fault(user: string, method: string, ...faults: readonly Fault[]): () => void
  close(): Promise<void>
}

/** @param target the URL of the MCP server */
export async function startFaultyWay(target: string): Promise<FaultyWay> {
  const all: Passed[] = []
  const faults = new Map<string, Fault[]>()
  const held = new Map<string, Promise<void>>()

  async function pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const body = await textOf(from)
    const method = methodOf(body) ?? `${from.method}`
    const passed: Passed = { user: String(from.headers['x-user'] ?? ''), method, at: performance.now() }
    all.push(passed)
    const name = `${passed.user} ${method}`
    const fault = faults.get(name)?.shift()
    if (typeof fault === 'object') return void to.writeHead(fault.status, fault.headers).end()
    if (fault === 'swallow') return
    const response = await ask(target, from.method, from.headers, body)
    if (fault === undefined && `${response.headers['content-type']}`.startsWith('text/event-stream')) {
      to.writeHead(response.statusCode ?? 502, response.headers)
      from.once('close', () => response.destroy())
      return void response.pipe(to)
    }
    passed.answer = await textOf(response)
    if (fault === 'hold') await held.get(name)
    if (fault === 'lose') from.socket.destroy()
    else to.writeHead(response.statusCode ?? 502, response.headers).end(passed.answer)
  }

  const { origin, close } = await listen((from, to) => {
    // What is on its way when one of the two ends is killed.
    pass(from, to).catch(() => from.socket.destroy())
  })
  return {
    url: `${origin}${new URL(target).pathname}`,
    of: (user, method) => all.filter((passed) => passed.user === user && passed.method === method),
    fault: (user, method, ...next) => {
      const name = `${user} ${method}`
      faults.set(name, [...next])
      let release = () => {}
      held.set(
        name,
        new Promise((resolve) => {
          release = resolve
        }),
      )
      return () => release()
    },
    close,
  }
}

function ask(url: string, method: string | undefined, headers: IncomingHttpHeaders, body: string) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const { host: _, 'content-length': __, 'transfer-encoding': ___, ...rest } = headers
    // What is compressed cannot be read here.
    request(url, { method, headers: { ...rest, 'accept-encoding': 'identity' } }, resolve)
      .on('error', reject)
      .end(body)
  })
}

async function textOf(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function methodOf(body: string): string | undefined {
  return body === '' ? undefined : (JSON.parse(body) as { method?: string }).method
}
