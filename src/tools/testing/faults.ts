/** Options that choose the requests for a fault. */
export interface FaultOptions {
  /** The JSON-RPC method, such as `tasks/get`. @default every request */
  method?: string
  /** How many requests the fault affects, from now on. @default all requests, until the fault is switched off */
  times?: number
}

/** Options of {@link Faults.drop}. */
export interface DropOptions extends FaultOptions {
  /**
   * The message to lose. If the request is lost, the server does not receive it. If the response is lost, the server has
   * done the work: for a `tools/call`, an important difference. @default 'request'
   */
  lose?: 'request' | 'response'
}

/** Options of {@link Faults.status}. */
export interface StatusOptions extends FaultOptions {
  /** The `Retry-After` header: seconds, or an HTTP date as text. @default no header */
  retryAfter?: number | string
}

/** Options of {@link Faults.malformed}. */
export interface MalformedOptions extends FaultOptions {
  /** The body of the response, which has HTTP status 200. @default incomplete JSON */
  body?: string
}

/** Options of {@link Faults.cut}. */
export type CutOptions = Pick<FaultOptions, 'method'>

/**
 * Switches for faults between page and server. Each method except `cut` returns a function that switches the fault off.
 * Faults apply to a request in the order in which they were switched on. If one stops the request, later faults do not
 * count the request.
 */
export interface Faults {
  /**
   * Makes the network fail, as if the page were offline: `fetch` rejects with a `TypeError`.
   *
   * @throws {TaskConfigurationError} if `lose` is neither 'request' nor 'response'.
   */
  drop(options?: DropOptions): () => void
  /** Delays responses by this time, in ms; with `Infinity`, they never arrive. The server handles the request at once. */
  delay(ms: number, options?: FaultOptions): () => void
  /** Refuses requests with an HTTP status, like a server or a proxy in front of it. */
  status(code: number, options?: StatusOptions): () => void
  /** Makes responses malformed. The server still handles the request. */
  malformed(options?: MalformedOptions): () => void
  /**
   * Breaks the connection of every response that is an open stream, such as the response to `subscriptions/listen`, and
   * returns the number of broken streams. It does not affect later requests: `drop` them, too, if clients must not
   * subscribe again.
   */
  cut(options?: CutOptions): number
  /** Switches all faults off. */
  clear(): void
}
