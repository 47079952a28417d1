/** Removes the listener. */
export type Unsubscribe = () => void

/** What `setTimeout` returned; opaque. */
export type TimerHandle = unknown

/** The part of `Storage` that records need. Every method may throw. */
export interface WebStorage {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** The part of the Web Locks API that tabs need. A request rejects if its lock is taken away while it is held. */
export interface Locks {
  request<T>(
    name: string,
    options: { signal?: AbortSignal; steal?: boolean },
    hold: (lock: HeldLock | null) => Promise<T>,
  ): Promise<T>
}

/** A lock that was granted. */
export interface HeldLock {
  readonly name?: string
  /** False once another process may have it. Absent if the lock cannot end while its holder is frozen, as in a browser. */
  isHeld?(): boolean
}

/** The part of `BroadcastChannel` that tabs need. */
export interface Channel {
  postMessage(message: unknown): void
  onMessage(listener: (message: unknown) => void): Unsubscribe
  close(): void
}

/**
 * Everything that Taskwire takes from the page it runs in. The engine reads no globals, so a test with its own environment
 * decides when time passes and when the network works.
 */
export interface Environment {
  /** Wall-clock time, ms since the epoch. */
  now(): number
  /**
   * @param wakeAt Passed if nothing runs until then and the callback only checks what is due: the time when there is
   *   something to do, ms since the epoch. The delay may end earlier. A host that sleeps in between may call the callback at
   *   that time.
   */
  setTimeout(callback: () => void, delayMs: number, wakeAt?: number): TimerHandle
  clearTimeout(handle: TimerHandle): void
  /** A number in [0, 1), for jitter. */
  random(): number
  /** A unique string that cannot be guessed, for call ids. */
  randomId(): string
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** The base of relative URLs; undefined outside a page. */
  baseUrl(): string | undefined
  isOnline(): boolean
  onOnlineChange(listener: () => void): Unsubscribe
  isVisible(): boolean
  onVisibilityChange(listener: () => void): Unsubscribe
  /** The page is about to be frozen or unloaded: the last chance to write. */
  onPageHide(listener: () => void): Unsubscribe
  /** The page is back, from the back-forward cache or from sleep. */
  onPageShow(listener: () => void): Unsubscribe
  /** Undefined if the page has no such storage. May throw if access is forbidden. */
  storage(kind: 'local' | 'session'): WebStorage | undefined
  /** Absent if the page has no Web Locks. */
  readonly locks?: Locks | undefined
  /** Absent if the page has no BroadcastChannel. */
  readonly channel?: ((name: string) => Channel) | undefined
}
