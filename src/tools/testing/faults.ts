/** Which requests a fault is for. */
export interface FaultOptions {
  /** The JSON-RPC method, such as `tasks/get`. @default every request */
  method?: string
  /** How many requests it is for, from now on. @default all of them, until it is switched off */
  times?: number
}

/** Options of {@link Faults.drop}. */
export interface DropOptions extends FaultOptions {
  /**
   * Which message gets lost. A lost request never reaches the server; before a lost response the server has done the work. For
   * a `tools/call` this is an important difference. @default 'request'
   */
  lose?: 'request' | 'response'
}

/** Options of {@link Faults.status}. */
export interface StatusOptions extends FaultOptions {
  /** The `Retry-After` header: seconds, or the text of an HTTP date. @default none */
  retryAfter?: number | string
}

/** Options of {@link Faults.malformed}. */
export interface MalformedOptions extends FaultOptions {
  /** The body that is sent, with HTTP 200. @default JSON that breaks off */
  body?: string
}

/** Options of {@link Faults.cut}. */
export type CutOptions = Pick<FaultOptions, 'method'>

/**
 * Switches for faults between page and server. Each but `cut` returns the function that switches it off. A request meets
 * them in the order in which they were switched on; those behind one that stops it do not count it.
 */
export interface Faults {
  /**
   * The network fails, as if the page were offline: `fetch` rejects with a `TypeError`.
   *
   * @throws {TaskConfigurationError} if `lose` is neither 'request' nor 'response'.
   */
  drop(options?: DropOptions): () => void
  /** Answers take this many ms longer; with `Infinity` they never come. The server does its part at once. */
  delay(ms: number, options?: FaultOptions): () => void
  /** A server, or something in front of it, that refuses requests with an HTTP status. */
  status(code: number, options?: StatusOptions): () => void
  /** The server does its part, but its response is malformed. */
  malformed(options?: MalformedOptions): () => void
  /**
   * The connection breaks under every response that is a stream and open right now, such as that to
   * `subscriptions/listen`; returns how many there were. For later requests nothing changes: `drop` them,
   * too, to keep its subscribers from coming back.
   */
  cut(options?: CutOptions): number
  /** Switches everything off. */
  clear(): void
}
